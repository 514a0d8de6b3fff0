#define _GNU_SOURCE
#include "CStintFile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int stint_open_beneath(int directory, const char *name, int flags, unsigned mode) {
  struct open_how how = {
      .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
      .mode = (flags & O_CREAT) ? mode : 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  };
  long result = TEMP_FAILURE_RETRY(syscall(SYS_openat2, directory, name, &how, sizeof how));
  if (result < 0 && (errno == ENOSYS || errno == EPERM)) {
    result = TEMP_FAILURE_RETRY(openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW, mode));
  }
  return result >= 0 ? (int)result : -errno;
}

// On the whole file.
static int set_lock(int descriptor, short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  return TEMP_FAILURE_RETRY(fcntl(descriptor, F_OFD_SETLK, &lock)) < 0 ? -errno : 0;
}

int stint_lock_try(int descriptor) {
  int result = set_lock(descriptor, F_WRLCK);
  return result == -EACCES ? -EAGAIN : result;
}

int stint_lock_share(int descriptor) {
  int result = set_lock(descriptor, F_RDLCK);
  return result == -EACCES ? -EAGAIN : result;
}

int stint_bound_file(int descriptor, int64_t first, int64_t last) {
  struct stat status;
  if (fstat(descriptor, &status) < 0) return -errno;
  if (status.st_blocks * 512 <= first + 2 * last || status.st_size <= first + last) return 0;
  const int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (fallocate(descriptor, how, first, status.st_size - last - first) == 0) return 1;
  return ftruncate(descriptor, 0) < 0 ? -errno : 1;
}

int stint_unlock(int descriptor) {
  return set_lock(descriptor, F_UNLCK);
}

int stint_lock_probe(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int result = (int)TEMP_FAILURE_RETRY(fcntl(descriptor, F_OFD_GETLK, &lock));
  return result < 0 ? -errno : lock.l_type != F_UNLCK;
}

int stint_family_lock(int descriptor, int locked) {
  struct flock byte = {.l_whence = SEEK_SET, .l_start = STINT_FAMILY_BYTE, .l_len = 1};
  byte.l_type = locked ? F_WRLCK : F_UNLCK;
  return TEMP_FAILURE_RETRY(fcntl(descriptor, F_OFD_SETLK, &byte)) < 0 ? -errno : 0;
}

int stint_lock_holder(int descriptor) {
  // The lock of a process first, whose number is known.
  const int64_t lengths[] = {STINT_FAMILY_BYTE, 0};
  for (int i = 0; i < 2; i++) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = lengths[i]};
    if (fcntl(descriptor, F_GETLK, &lock) < 0) return -errno;
    if (lock.l_type != F_UNLCK) return lock.l_pid > 0 ? lock.l_pid : 0;
  }
  return -ESRCH;
}

int stint_start_writeback(int descriptor, int64_t offset, int64_t length) {
  return sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
}

int stint_rename_exclusive(int from_directory, const char *from, int to_directory, const char *to) {
  const unsigned flags = RENAME_NOREPLACE;
  long result = TEMP_FAILURE_RETRY(renameat2(from_directory, from, to_directory, to, flags));
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

int stint_widen_pipe(int descriptor, int size) {
  int now = fcntl(descriptor, F_GETPIPE_SZ);
  if (now < 0) return -errno;
  if (now >= size) return 0;
  return fcntl(descriptor, F_SETPIPE_SZ, size) < 0 ? -errno : 0;
}

int stint_open_nameless(int directory, unsigned mode) {
  int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
  int descriptor = (int)TEMP_FAILURE_RETRY(openat(directory, ".", flags, mode));
  return descriptor < 0 ? -errno : descriptor;
}
