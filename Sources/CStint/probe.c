#define _GNU_SOURCE
#include "CStint.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/openat2.h>
#include <signal.h>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t stint_probe_clock_resolution_ns(void) {
  struct timespec t;
  if (clock_getres(CLOCK_BOOTTIME, &t) < 0) return -errno;
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int stint_probe_hard_stop(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  timer_t timer;
  if (timer_create(CLOCK_BOOTTIME, &event, &timer) < 0) return -errno;
  struct itimerspec in_an_hour = {.it_value = {.tv_sec = 3600}};
  int result = timer_settime(timer, 0, &in_an_hour, NULL) < 0 ? -errno : 0;
  timer_delete(timer);
  return result;
}

int stint_probe_openat2(int directory) {
  struct open_how how = {
      .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  };
  long result = syscall(SYS_openat2, directory, ".", &how, sizeof how);
  if (result < 0) return -errno;
  close((int)result);
  return 0;
}

const char *stint_probe_libc_version(void) {
  return gnu_get_libc_version();
}
