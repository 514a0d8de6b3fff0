#include "CFuzz.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// sanitizer/allocator_interface.h, which a Swift toolchain does not bring for every compiler.
extern int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                                     void (*free_hook)(const volatile void *));
extern size_t __sanitizer_get_allocated_size(const volatile void *pointer);

static atomic_bool is_counting;
static atomic_llong now_bytes, peak_bytes, total_bytes;

static void allocated(const volatile void *pointer, size_t size) {
  (void)pointer;
  if (!atomic_load_explicit(&is_counting, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&total_bytes, (long long)size, memory_order_relaxed);
  long long now = atomic_fetch_add_explicit(&now_bytes, (long long)size, memory_order_relaxed) + (long long)size;
  long long peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
  while (now > peak && !atomic_compare_exchange_weak_explicit(&peak_bytes, &peak, now, memory_order_relaxed,
                                                              memory_order_relaxed)) {
  }
}

static void freed(const volatile void *pointer) {
  if (pointer == NULL || !atomic_load_explicit(&is_counting, memory_order_relaxed)) return;
  atomic_fetch_sub_explicit(&now_bytes, (long long)__sanitizer_get_allocated_size(pointer), memory_order_relaxed);
}

static void install(void) {
  // libFuzzer has hooks of its own; the runtime has room for five pairs.
  if (__sanitizer_install_malloc_and_free_hooks(allocated, freed) == 0) abort();
}

void stint_allocation_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  atomic_store(&now_bytes, 0);
  atomic_store(&peak_bytes, 0);
  atomic_store(&total_bytes, 0);
  atomic_store(&is_counting, 1);
}

stint_allocation stint_allocation_end(void) {
  atomic_store(&is_counting, 0);
  return (stint_allocation){.peak_bytes = atomic_load(&peak_bytes), .total_bytes = atomic_load(&total_bytes)};
}
