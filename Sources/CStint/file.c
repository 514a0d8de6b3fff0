#define _GNU_SOURCE
#include "CStintFile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int stint_open_beneath(int directory, const char *name, int flags, unsigned mode) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW);
  how.mode = (flags & O_CREAT) ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  long result;
  do {
    result = syscall(SYS_openat2, directory, name, &how, sizeof how);
  } while (result < 0 && errno == EINTR);
  if (result >= 0) return (int)result;
  if (errno != ENOSYS && errno != EPERM) return -errno;
  do {
    result = openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
  } while (result < 0 && errno == EINTR);
  return result >= 0 ? (int)result : -errno;
}

static struct flock whole_file(void) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

int stint_lock_try(int descriptor) {
  struct flock lock = whole_file();
  int result;
  do {
    result = fcntl(descriptor, F_OFD_SETLK, &lock);
  } while (result < 0 && errno == EINTR);
  if (result >= 0) return 0;
  return errno == EACCES ? -EAGAIN : -errno;
}

int stint_unlock(int descriptor) {
  struct flock lock = whole_file();
  lock.l_type = F_UNLCK;
  int result;
  do {
    result = fcntl(descriptor, F_OFD_SETLK, &lock);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

int stint_lock_probe(int descriptor) {
  struct flock lock = whole_file();
  int result;
  do {
    result = fcntl(descriptor, F_OFD_GETLK, &lock);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : lock.l_type != F_UNLCK;
}

int stint_start_writeback(int descriptor, int64_t offset, int64_t length) {
  return sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
}

int stint_rename_exclusive(int from_directory, const char *from, int to_directory, const char *to) {
  int result;
  do {
    result = renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

int stint_ask_anew(int descriptor) {
  struct statx attributes;
  const int flags = AT_EMPTY_PATH | AT_STATX_FORCE_SYNC;
  return statx(descriptor, "", flags, STATX_BASIC_STATS, &attributes) < 0 ? -errno : 0;
}

void stint_forget_bytes(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) < 0 || system.f_type != NFS_SUPER_MAGIC) return;
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

int64_t stint_wall_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int stint_widen_pipe(int descriptor, int size) {
  int now = fcntl(descriptor, F_GETPIPE_SZ);
  if (now < 0) return -errno;
  if (now >= size) return 0;
  return fcntl(descriptor, F_SETPIPE_SZ, size) < 0 ? -errno : 0;
}

int stint_open_nameless(int directory, unsigned mode) {
  int descriptor;
  do {
    descriptor = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor < 0 ? -errno : descriptor;
}
