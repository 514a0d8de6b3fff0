// Probes of what this kernel offers, for `stint doctor`.
// Every function returns 0 or a non-negative value on success and -errno on failure.
#pragma once

#include <stdint.h>

/// The resolution of the boot-time clock in nanoseconds.
int64_t stint_probe_clock_resolution_ns(void);

/// Whether a kernel timer on the boot-time clock can be made and armed; it is removed again before
/// it could fire.
int stint_probe_hard_stop(void);

/// Whether openat2 is there and may be used: 0, or -ENOSYS, -EPERM and the like.
int stint_probe_openat2(int directory);

/// The version of the C library that is running.
const char *stint_probe_libc_version(void);
