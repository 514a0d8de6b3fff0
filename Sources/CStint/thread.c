#define _GNU_SOURCE

#include "CStintThread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

void stint_name_thread(const char *name) {
  char cut[16];
  snprintf(cut, sizeof cut, "%s", name);
  pthread_setname_np(pthread_self(), cut);
}

int stint_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -errno;
  return CPU_COUNT(&set);
}
