#define _GNU_SOURCE
#include "CStint.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int stint_pidfd_open(int pid) {
  long result = syscall(SYS_pidfd_open, pid, 0u);
  return result < 0 ? -errno : (int)result;
}

int stint_pidfd_signal(int pidfd, int signal) {
  return syscall(SYS_pidfd_send_signal, pidfd, signal, (void *)0, 0u) < 0 ? -errno : 0;
}
