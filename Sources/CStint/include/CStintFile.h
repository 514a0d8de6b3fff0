// Files: what Glibc's Swift module cannot say.
// Every function returns 0 or a non-negative value on success and -errno on failure.
#pragma once

#include <stdint.h>

/// Opens a name below a directory without following any link: openat2 with RESOLVE_BENEATH and
/// RESOLVE_NO_SYMLINKS, and where that is missing or forbidden (old kernels, seccomp) openat with
/// O_NOFOLLOW. Always close-on-exec.
int stint_open_beneath(int directory, const char *name, int flags, unsigned mode);

/// Takes an exclusive open-file-description lock on the whole file, without waiting. -EAGAIN when
/// it is held.
int stint_lock_try(int descriptor);

/// Takes a shared open-file-description lock on the whole file, without waiting. -EAGAIN when
/// somebody has it for himself.
int stint_lock_share(int descriptor);

/// Keeps a file that only grows at the end from taking more room than its first bytes and twice as
/// much as its last ones: what lies between is given back to the file system, and reads as zeros.
/// Where the file system cannot do that, all of it goes. Returns 1 if something went.
int stint_bound_file(int descriptor, int64_t first, int64_t last);

/// Gives the lock back, also for descriptors that children inherited.
int stint_unlock(int descriptor);

/// Whether somebody else holds a lock on the file: 1 or 0.
int stint_lock_probe(int descriptor);

/// The byte of a file that is locked for a process and all that have its descriptor from it. What
/// lies before it is for locks of one process.
#define STINT_FAMILY_BYTE ((int64_t)1 << 62)

/// Takes an open-file-description lock on that byte, or gives it back. It goes when the last
/// process has closed the descriptor.
int stint_family_lock(int descriptor, int locked);

/// The process that has the file locked: its number; 0 if it has none here, or only its family has
/// the lock; -ESRCH if nobody has.
int stint_lock_holder(int descriptor);

/// Asks the kernel to begin writing a range to disk, without waiting for it.
int stint_start_writeback(int descriptor, int64_t offset, int64_t length);

/// Renames without replacing; -EEXIST if the new name is taken.
int stint_rename_exclusive(int from_directory, const char *from, int to_directory, const char *to);

/// Asks the server of a file or directory for its attributes, whatever the client remembers of
/// them.
int stint_ask_anew(int descriptor);

/// Lets later reads of a file on NFS ask the server, whatever bytes the client remembers; nothing
/// on other file systems.
void stint_forget_bytes(int descriptor);

/// Lets a pipe hold at least so many bytes: 0, -EBADF for what is no pipe, -EPERM where the user's
/// pipes hold too much already.
int stint_widen_pipe(int descriptor, int size);

/// Opens a new file without a name (O_TMPFILE) for reading and writing, close-on-exec.
int stint_open_nameless(int directory, unsigned mode);
