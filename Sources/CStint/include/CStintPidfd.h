// Another process, by a descriptor that stays with it: a number alone may belong to somebody else a
// moment later. Every function returns 0 or a non-negative value on success and -errno on failure.
#pragma once

/// Opens a descriptor of a process, close-on-exec. It becomes readable when the process has ended.
int stint_pidfd_open(int pid);

/// Sends a signal to the process of a descriptor, and to no other. -ESRCH when it has ended.
int stint_pidfd_signal(int pidfd, int signal);
