#define _GNU_SOURCE
#include "CStintProcess.h"
#include "CStintSpawn.h"
#include "CStintThread.h"
#include "CStintTimer.h"

#include <errno.h>
#include <signal.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

int stint_signal_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void stint_keep_child_statuses(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) < 0) return;
  if (action.sa_handler != SIG_IGN && !(action.sa_flags & SA_NOCLDWAIT)) return;
  if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
  action.sa_flags &= ~SA_NOCLDWAIT;
  sigaction(SIGCHLD, &action, NULL);
}

int stint_signals_open(const int32_t *numbers, int32_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (int32_t i = 0; i < count; i++) sigaddset(&set, numbers[i]);
  // Their stops have to be told, too.
  stint_keep_child_statuses();
  sigset_t before;
  stint_block_signals(&before);
  int descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

int stint_signals_next(int descriptor, int32_t *from_kernel, int32_t *sender) {
  struct signalfd_siginfo info;
  ssize_t count = TEMP_FAILURE_RETRY(read(descriptor, &info, sizeof info));
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  if (count != sizeof info) return -EIO;
  *from_kernel = info.ssi_code == SI_KERNEL;
  *sender = (int32_t)info.ssi_pid;
  return (int)info.ssi_signo;
}

static void unblock(int number, sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, before);
}

static int taken_events[NSIG];
static pid_t taken_by;

static void signal_event(int number) {
  int error = errno;
  if (getpid() == taken_by) {
    stint_event_signal(taken_events[number]);
  } else {
    // In a child that was forked off and has become no other program: its parent is not meant.
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = error;
}

int stint_signal_take(int number) {
  struct sigaction taken = {.sa_handler = signal_event, .sa_flags = SA_RESTART}, before;
  if (sigaction(number, NULL, &before) < 0) return -errno;
  if (before.sa_handler != SIG_DFL) return -EBUSY;
  int event = stint_event_open();
  if (event < 0) return event;
  taken_events[number] = event;
  taken_by = getpid();
  return sigaction(number, &taken, NULL) < 0 ? -errno : event;
}

int stint_signal_is_handled(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
         action.sa_handler != signal_event;
}

void stint_signal_unblock(int number) { unblock(number, NULL); }

int stint_stop_for_terminal(int32_t whole_group) {
  if (!whole_group) {
    // Meant for this process: it stops whether or not a shell is there.
    stint_stop_self();
    return 1;
  }
  struct sigaction standard = {.sa_handler = SIG_DFL}, old;
  sigaction(SIGTSTP, &standard, &old);
  sigset_t before, pending;
  // A SIGCONT of before would be taken for the one that follows the stop; a stop takes those that
  // wait away.
  kill(0, SIGTSTP);
  unblock(SIGTSTP, &before);
  // Here this process stands still, unless its group is orphaned.
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGTSTP, &old, NULL);
  sigpending(&pending);
  return sigismember(&pending, SIGCONT) == 1;
}

_Noreturn void stint_die_of(int number) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0ul, 0ul, 0ul, 0ul);
  signal(number, SIG_DFL);
  // To this thread: sent to the process, another thread that waits for signals could take it.
  raise(number);
  unblock(number, NULL);
  _exit(128 + number);
}

_Noreturn void stint_leave_unless_interrupted(int status) {
  if (!stint_signal_is_ignored(SIGINT)) signal(SIGINT, SIG_DFL);
  unblock(SIGINT, NULL);
  _exit(status);
}
