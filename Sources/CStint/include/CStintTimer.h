// Timers on the boot-time clock, and the hard stop.
#pragma once

#include <stdint.h>

/// Opens a timer descriptor on the boot-time clock.
int stint_timer_open(void);

/// Sets a timer descriptor to an instant in nanoseconds since boot; a negative one disarms it.
int stint_timer_set(int timer, int64_t boottime_ns);

/// Opens an event descriptor.
int stint_event_open(void);

/// Wakes whoever waits on an event descriptor.
int stint_event_signal(int event);

/// Makes the timer by which the kernel ends this process. Once made, making it again does nothing.
/// Not thread-safe.
int stint_hard_stop_open(void);

/// Lets the kernel end this process with SIGKILL at an instant in nanoseconds since boot; a
/// negative one disarms. Not thread-safe.
int stint_hard_stop_set(int64_t boottime_ns);
