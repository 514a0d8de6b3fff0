// The boot-time clock, the one that stands still with the machine, and that of a thread.
#pragma once

#include <stdint.h>
#include <pthread.h>
#include <time.h>

/// Nanoseconds since boot, the time in which the machine was suspended included (CLOCK_BOOTTIME).
static inline int64_t stint_boottime_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/// Nanoseconds since boot, the time in which the machine was suspended left out (CLOCK_MONOTONIC).
static inline int64_t stint_monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/// Nanoseconds of a processor that the calling thread has used (CLOCK_THREAD_CPUTIME_ID).
static inline int64_t stint_thread_processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
