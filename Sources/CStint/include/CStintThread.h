// Threads.
#pragma once

#include <signal.h>
#include <stdint.h>

/// Names the calling thread for tools such as `top -H`, by 15 bytes at most.
void stint_name_thread(const char *_Nonnull name);

/// The number of processors in this process's affinity mask.
int stint_processor_count(void);

/// Blocks every signal in the calling thread but those of a fault of its own, and hands out what
/// was blocked before.
void stint_block_signals(sigset_t *_Nonnull before);

/// The turn of a thread that must be woken soon and works briefly: the least that the kernel takes.
enum { STINT_PROMPT_SLICE_NS = 100000 };

/// Asks the kernel to run the calling thread in turns of so many nanoseconds.
///
/// With short turns it is woken sooner among busy threads and gets no more of the processor (Linux
/// 6.12 and later, EEVDF; an older kernel takes the wish and does nothing). Needs no privilege.
/// Returns 0 or a negative errno.
int stint_slice_set(int64_t ns);

/// How long a turn of the calling thread is; 0 if the kernel does not tell. Returns 0 or a negative
/// errno.
int stint_slice_get(int64_t *_Nonnull ns);

// The pools of memory, as `MemoryPools` says; 0, or -1 if the C library takes no such wish.
int stint_share_memory_pools(int pools);
int stint_keep_freed_memory(int bytes);
void stint_give_back_freed_memory(void);

/// Whether the calling thread is the process's first one: 1 or 0.
int stint_is_main_thread(void);

/// Serves the main dispatch queue on the calling thread, which must be main, for ever.
///
/// Not `dispatch_main`: that parks the main thread in `sigsuspend` with no signal blocked, so a
/// signal that another thread waits for takes its default action instead. Returns only if there is
/// no descriptor to wait for: a negative errno.
int stint_serve_main_queue(void);
