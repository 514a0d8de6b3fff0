// Clocks, in nanoseconds.
#pragma once

#include <stdint.h>
#include <pthread.h>
#include <time.h>

static inline int64_t stint_clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/// Since boot, the time in which the machine was suspended included.
static inline int64_t stint_boottime_ns(void) { return stint_clock_ns(CLOCK_BOOTTIME); }

/// Since boot, the time in which the machine was suspended left out.
static inline int64_t stint_monotonic_ns(void) { return stint_clock_ns(CLOCK_MONOTONIC); }

/// What the calling thread has used of a processor.
static inline int64_t stint_thread_processor_ns(void) {
  return stint_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/// Since 1970 on the wall clock, for labels only.
static inline int64_t stint_wall_ns(void) { return stint_clock_ns(CLOCK_REALTIME); }
