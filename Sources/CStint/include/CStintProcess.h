// Process 1 of a container, and ending this process.
#pragma once

/// If this is process 1, forks: the child goes on here, and process 1 stays behind to reap whatever
/// ends, to forward signals to the child's group, and to exit with the child's status (128 + n
/// after signal n).
///
/// SIGKILL does nothing to process 1, so nothing could enforce a deadline there. To be called
/// before there are threads. Returns 0 where the program goes on, and -errno if it could not fork.
int stint_fork_if_process_one(void);

/// The same, whatever the process's number is, for tests.
int stint_fork_and_serve(void);

/// Makes a child that goes on as a process of its own: it leads a session, has no descriptors but
/// 0, 1 and 2, and gets a signal when its parent ends. What its parent had open must not be used in
/// it.
///
/// To be called on the main thread, when no other one holds a lock. Returns 0 in the child, its
/// number in the parent, and -errno if there is none.
int stint_fork_child(int death_signal);

/// Ends this process with SIGKILL.
void stint_kill_self(void);

/// Stops this process until it is continued.
void stint_stop_self(void);
