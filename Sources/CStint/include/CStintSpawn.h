// Starting a command and looking after its process. Every function returns 0 or a non-negative
// value on success and -errno on failure, unless its comment says otherwise.
#pragma once

#include <signal.h>
#include <stdint.h>

/// What a command is started with.
typedef struct {
  /// The words of the command, NULL at the end. A first word without a slash is looked for in PATH.
  char *const _Nullable *_Nonnull arguments;
  /// A descriptor of the program that is run, whatever the first word names; or -1.
  int32_t program;
  /// The variables of its environment, NULL at the end.
  char *const _Nullable *_Nonnull environment;
  /// Descriptors that it keeps although they are close-on-exec here.
  const int32_t *_Nullable kept;
  int32_t kept_count;
  /// The descriptors that become its 0, 1 and 2; NULL to share this process's.
  const int32_t *_Nullable standard;
  /// What it gets when the calling thread ends; 0 for SIGKILL.
  int32_t death_signal;
  /// Signals that it has at their defaults although they are ignored here.
  const int32_t *_Nullable defaults;
  int32_t defaults_count;
  /// Whether it leads a process group of its own.
  int32_t leads_group;
  /// A terminal whose foreground group its group becomes, or -1.
  int32_t terminal;
  /// A directory of cgroup v2 that it enters, or -1.
  int32_t cgroup;
  /// Whether it holds a record lock (fcntl) on its standard output up to STINT_FAMILY_BYTE. It is
  /// the process's own: exec keeps it, no child inherits it, and it goes when the process does.
  int32_t locks_output;
  /// Whether it serves this process and is no part of a supervised command: see
  /// `stint_spared_children`.
  int32_t is_spared;
  /// How long it and its descendants may take to end after SIGTERM, in nanoseconds, if a keeper
  /// stands between it and this process; 0 without one.
  int64_t keeper_grace;
} stint_spawn_request;

/// How far a start came that failed.
enum {
  STINT_SPAWN_FORK = 1,
  STINT_SPAWN_CGROUP = 2,
  STINT_SPAWN_EXEC = 3,
};

/// What came of a start.
typedef struct {
  int32_t pid;
  /// STINT_SPAWN_..., or 0.
  int32_t failed_at;
  int32_t error;
} stint_spawn_result;

/// Starts a command and returns when its program runs or could not be started.
///
/// No signal is blocked in it, and each is at its default but for those that were ignored when this
/// process was started. It gets SIGKILL, or what is asked for, when the calling thread ends, so
/// that thread must outlive it. Returns 0 or -1; the result says why.
///
/// With a keeper, the process that is started is the keeper, and the command is its child in the
/// same process group. The keeper ends as the command ends. When this process is gone, it sends
/// SIGTERM to the group. After SIGTERM it waits for all descendants, and kills those that are still
/// there when their time is over. A program that cannot be run is told on standard error, with
/// status 127 or 126.
int stint_spawn(const stint_spawn_request *_Nonnull request, stint_spawn_result *_Nonnull result);

/// What a child process did.
enum {
  STINT_CHILD_NOTHING = 0,
  STINT_CHILD_EXITED = CLD_EXITED,
  STINT_CHILD_KILLED = CLD_KILLED,
  STINT_CHILD_DUMPED = CLD_DUMPED,
  STINT_CHILD_STOPPED = CLD_STOPPED,
  STINT_CHILD_CONTINUED = CLD_CONTINUED,
};

typedef struct {
  int32_t pid;
  /// STINT_CHILD_...
  int32_t what;
  /// The exit status or the signal's number.
  int32_t value;
} stint_child_event;

/// Looks, without waiting, whether a child has ended, and leaves it unreaped, so that its number
/// stays its own. 0 stands for any child. -ECHILD when there is none.
int stint_child_peek(int32_t pid, stint_child_event *_Nonnull event);

/// Takes, without waiting, the news that a child was stopped or continued.
int stint_child_next_stop(int32_t pid, stint_child_event *_Nonnull event);

/// Reaps a child that has ended.
int stint_child_reap(int32_t pid);

/// How many spared children there can be at once.
enum { STINT_SPARED_MOST = 8 };

/// Spares a child that was made without `stint_spawn`.
void stint_spare_child(int32_t pid);

/// The children that serve this process itself. A supervisor neither waits for them nor kills them.
///
/// Writes their numbers and returns how many there are. `changes` grows whenever one comes or goes,
/// so that two equal values around another look show that the children were the same meanwhile.
int32_t stint_spared_children(int32_t *_Nonnull pids, uint64_t *_Nonnull changes);

/// Makes orphaned descendants children of this process, or lets them go to process 1 again.
int stint_adopt_orphans(int32_t adopts);

/// Goes on in a child if this process has children that it did not make: those of the program that
/// became this one.
///
/// The child adopts orphans of its own command alone. This process passes signals on to it, stops
/// when it stops, and ends as it ends. Returns 0 in the process that is to go on, or a negative
/// error number. To be called before any thread is made.
int stint_step_aside(void);

/// Makes a process that outlives this one and then kills and thaws what is in a cgroup of version
/// 2, and removes it.
///
/// Returns its number, or a negative error number.
int32_t stint_guard_cgroup(int directory, const char *_Nonnull path);

/// Opens a descriptor on which the given signals can be read, and blocks every signal of this
/// thread but those of its own faults.
int stint_signals_open(const int32_t *_Nonnull numbers, int32_t count);

/// Takes the next signal. Returns its number, 0 if there is none, or -errno. Says whether the
/// kernel sent it, as a terminal's keys make it do, and which process did otherwise.
int stint_signals_next(int descriptor, int32_t *_Nonnull from_kernel, int32_t *_Nonnull sender);

/// Handles a signal that has its default action: each arrival wakes whoever waits on the event
/// descriptor that is returned.
///
/// No mask and no ignored signal, which children would inherit. Returns -EBUSY if the signal is
/// handled or ignored already, or another negative errno.
int stint_signal_take(int number);

/// Whether the program handles or ignores a signal itself, which stint_signal_take() does not: 1 or
/// 0.
int stint_signal_is_handled(int number);

/// Lets the calling thread take a signal.
void stint_signal_unblock(int number);

/// Whether a signal is ignored by this process: 1 or 0.
int stint_signal_is_ignored(int number);

/// Stops this process until it is continued: by itself, or with its whole group as a terminal's
/// keys do.
///
/// Returns 1 if it was stopped, and 0 if the kernel would not stop the group, because no shell is
/// there that could continue it.
int stint_stop_for_terminal(int32_t whole_group);

/// Becomes the program of a descriptor, whatever its path names by now. Returns only if that fails:
/// a negative error number.
int stint_exec_descriptor(
    int program, char *const _Nullable *_Nonnull arguments, char *const _Nullable *_Nonnull environment);

/// Lets children that end leave a status, whoever started this process with SIGCHLD ignored.
void stint_keep_child_statuses(void);

/// Ends this process by a signal's default action without a core dump; if that is not to be, exits
/// with 128 + n.
_Noreturn void stint_die_of(int number);

/// Ends the process with a status, or by SIGINT if that is pending or comes before the last
/// instruction.
///
/// One that was ignored at the start stays ignored.
_Noreturn void stint_leave_unless_interrupted(int status);

/// Makes a process group the foreground group of a terminal, from the background too.
int stint_terminal_give(int terminal, int32_t group);
