#define _GNU_SOURCE

#include "CStintThread.h"

#include <pthread.h>
#include <stdio.h>

void stint_name_thread(const char *name) {
  char cut[16];
  snprintf(cut, sizeof cut, "%s", name);
  pthread_setname_np(pthread_self(), cut);
}
