#define _GNU_SOURCE
#include "CStint.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static struct itimerspec absolute(int64_t ns) {
  if (ns < 0) return (struct itimerspec){0};
  // All zero would disarm; an instant in the past fires at once.
  if (ns == 0) ns = 1;
  return (struct itimerspec){.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}};
}

int stint_timer_open(void) {
  int fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int stint_timer_set(int timer, int64_t ns) {
  struct itimerspec spec = absolute(ns);
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL) < 0 ? -errno : 0;
}

int stint_event_open(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int stint_event_signal(int event) {
  uint64_t one = 1;
  ssize_t n = TEMP_FAILURE_RETRY(write(event, &one, sizeof one));
  // A full counter wakes as well.
  return n < 0 && errno != EAGAIN ? -errno : 0;
}

// Timers are not inherited by fork, so the timer is known by the process that made it.
static timer_t hard_stop;
static pid_t hard_stop_owner;

int stint_hard_stop_open(void) {
  if (hard_stop_owner == getpid()) return 0;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  if (timer_create(CLOCK_BOOTTIME, &event, &hard_stop) < 0) return -errno;
  hard_stop_owner = getpid();
  return 0;
}

int stint_hard_stop_set(int64_t ns) {
  int error = stint_hard_stop_open();
  if (error < 0) return error;
  struct itimerspec spec = absolute(ns);
  return timer_settime(hard_stop, TIMER_ABSTIME, &spec, NULL) < 0 ? -errno : 0;
}
