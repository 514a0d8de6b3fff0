#define _GNU_SOURCE

#include "CStintThread.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

void stint_name_thread(const char *name) {
  pthread_setname_np(pthread_self(), name);
}

int stint_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -errno;
  return CPU_COUNT(&set);
}

void stint_block_signals(sigset_t *before) {
  // A fault that finds its signal blocked kills without its handler: the crash would be told by
  // nobody.
  static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&set, faults[i]);
  pthread_sigmask(SIG_SETMASK, &set, before);
}

// As in linux/sched/types.h up to sched_period, the first version of the kernel's structure.
struct attributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

int stint_slice_get(int64_t *ns) {
  struct attributes attributes = {0};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0u) < 0) return -errno;
  *ns = (int64_t)attributes.runtime;
  return 0;
}

int stint_slice_set(int64_t ns) {
  struct attributes attributes = {0};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0u) < 0) return -errno;
  // Whoever gave this process another policy knows what it does.
  if (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH) return 0;
  attributes.size = sizeof attributes;
  attributes.flags = 0;
  attributes.runtime = (uint64_t)ns;
  return syscall(SYS_sched_setattr, 0, &attributes, 0u) < 0 ? -errno : 0;
}

int stint_share_memory_pools(int pools) {
  return mallopt(M_ARENA_MAX, pools) == 1 ? 0 : -1;
}

int stint_keep_freed_memory(int bytes) {
  // The C library takes no larger threshold for blocks with a mapping of their own.
  const int largest = 4 * 1024 * 1024 * (int)sizeof(long);
  return mallopt(M_TRIM_THRESHOLD, bytes) == 1 && mallopt(M_MMAP_THRESHOLD, bytes < largest ? bytes : largest) == 1 ? 0 : -1;
}

void stint_give_back_freed_memory(void) {
  malloc_trim(0);
}

int stint_is_main_thread(void) {
  return getpid() == (pid_t)syscall(SYS_gettid);
}

// How a run loop serves the main queue: libdispatch's own interface for Foundation, declared in
// `private/private.h`. The handle is a descriptor of eventfd(2), readable while the queue has work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

int stint_serve_main_queue(void) {
  int handle = _dispatch_get_main_queue_handle_4CF();
  if (handle < 0) return -EBADF;
  struct pollfd wait = {.fd = handle, .events = POLLIN};
  for (;;) {
    if (poll(&wait, 1, -1) < 0) {
      if (errno == EINTR) continue;
      return -errno;
    }
    eventfd_t count;
    if (wait.revents & POLLIN && eventfd_read(handle, &count) == 0) _dispatch_main_queue_callback_4CF(NULL);
    if (wait.revents & (POLLERR | POLLNVAL)) return -EBADF;
  }
}
