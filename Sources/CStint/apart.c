#define _GNU_SOURCE
#include "CStintProcess.h"
#include "CStintSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Processes that this program forks off from itself, with nothing of Swift in them: one that stands
// for another, and a guard.

// Ends as the child that works has ended, or stops with it.
static void follow(pid_t worker) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)worker, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG) < 0) _exit(125);
  if (info.si_pid != worker) return;
  switch (info.si_code) {
    case CLD_EXITED: stint_leave_unless_interrupted(info.si_status);
    case CLD_KILLED:
    case CLD_DUMPED: stint_die_of(info.si_status);
    case CLD_STOPPED: raise(SIGSTOP); break;
    default: break;
  }
}

static _Noreturn void stand_for(pid_t worker) {
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    siginfo_t info;
    int number = sigwaitinfo(&all, &info);
    if (number < 0) continue;
    if (number == SIGCHLD) {
      follow(worker);
      continue;
    }
    // A terminal's keys reach the whole group, and what the worker sends to its group is known to
    // it.
    if (info.si_code == SI_KERNEL || (info.si_code <= 0 && info.si_pid == worker)) continue;
    kill(worker, number);
  }
}

int stint_step_aside(void) {
  siginfo_t info;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0) return errno == ECHILD ? 0 : -errno;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  // Ignored, it would leave no status.
  signal(SIGCHLD, SIG_DFL);
  pid_t self = getpid();
  pid_t worker = fork();
  if (worker > 0) stand_for(worker);
  int error = errno;
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Gone before that was set, the parent would have sent nothing.
    if (getppid() != self) _exit(125);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return worker < 0 ? -error : 0;
}

int stint_fork_child(int death_signal) {
  pid_t self = getpid();
  pid_t child = fork();
  if (child != 0) return child < 0 ? -errno : child;
  prctl(PR_SET_PDEATHSIG, death_signal);
  // Gone before that was set, the parent would have sent nothing.
  if (getppid() != self) _exit(0);
  // A session of its own: no terminal asks its work for anything.
  setsid();
  closefrom(3);
  return 0;
}

static void tell(int directory, const char *name, const char *word) {
  int file = openat(directory, name, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count = write(file, word, strlen(word));
  (void)count;
  close(file);
}

static _Noreturn void guard(int directory, const char *path, pid_t supervisor) {
  // A session of its own: a kill of the supervisor's whole group is just what it is for.
  setsid();
  if (chdir("/") < 0) _exit(1);
  for (int file = 0; file < directory; file++) close(file);
  // Not close_range, which kernels before 5.9 lack; the C library then looks into /proc.
  closefrom(directory + 1);
  sigset_t death;
  sigemptyset(&death);
  sigaddset(&death, SIGUSR1);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  while (getppid() == supervisor) {
    siginfo_t info;
    sigwaitinfo(&death, &info);
  }
  tell(directory, "cgroup.kill", "1");
  // Kernels before 5.14 have no cgroup.kill: what was frozen goes on as an orphan then.
  tell(directory, "cgroup.freeze", "0");
  const struct timespec turn = {.tv_nsec = 10000000};
  for (int i = 0; i < 500 && rmdir(path) < 0 && errno == EBUSY; i++) nanosleep(&turn, NULL);
  _exit(0);
}

int32_t stint_guard_cgroup(int directory, const char *path) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t self = getpid();
  pid_t made = fork();
  if (made == 0) guard(directory, path, self);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (made > 0) stint_spare_child(made);
  return made < 0 ? -error : made;
}
