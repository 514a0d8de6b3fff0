// libFuzzer's entry point, and the memory that a piece of code asks for.
#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's driver: reads its options from the arguments and calls the callback with one input after another.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

/// What was allocated between two calls, on all threads.
typedef struct stint_allocation {
  /// The most bytes that were in use at one time, beyond those at the start.
  int64_t peak_bytes;
  /// The sum of all allocations.
  int64_t total_bytes;
} stint_allocation;

/// Begins to count. Nothing is counted before the first call.
void stint_allocation_begin(void);

/// What was allocated since the last call of stint_allocation_begin.
stint_allocation stint_allocation_end(void);

#endif
