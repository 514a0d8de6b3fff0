#define _GNU_SOURCE
#include "CStint.h"
#include "CStintThread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static struct itimerspec absolute(int64_t ns) {
  struct itimerspec spec;
  memset(&spec, 0, sizeof spec);
  if (ns < 0) return spec;
  // All zero would disarm; an instant in the past fires at once.
  if (ns == 0) ns = 1;
  spec.it_value.tv_sec = ns / 1000000000;
  spec.it_value.tv_nsec = ns % 1000000000;
  return spec;
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
  ssize_t n;
  do n = write(event, &one, sizeof one);
  while (n < 0 && errno == EINTR);
  // A full counter wakes as well.
  return n < 0 && errno != EAGAIN ? -errno : 0;
}

struct start {
  void (*body)(void *);
  void *context;
};

static void *run(void *raw) {
  struct start start = *(struct start *)raw;
  free(raw);
  // A wish: on a kernel that refuses it the thread is woken later, and that is all.
  (void)stint_slice_set(STINT_PROMPT_SLICE_NS);
  start.body(start.context);
  return NULL;
}

int stint_thread_start(const char *name, void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (!start) return -ENOMEM;
  start->body = body;
  start->context = context;
  sigset_t before;
  pthread_t thread;
  // The new thread inherits the mask, so it never runs with a signal open.
  stint_block_signals(&before);
  int error = pthread_create(&thread, NULL, run, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    free(start);
    return -error;
  }
  pthread_setname_np(thread, name);
  pthread_detach(thread);
  return 0;
}

// Timers are not inherited by fork, so the timer is known by the process that made it.
static timer_t hard_stop;
static pid_t hard_stop_owner;

int stint_hard_stop_open(void) {
  if (hard_stop_owner == getpid()) return 0;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
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
