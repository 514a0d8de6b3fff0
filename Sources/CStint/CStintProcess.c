#define _GNU_SOURCE
#include "CStint.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Reaps whatever has ended; exits when the child has.
static void reap(pid_t child) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != child) continue;
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
}

static void serve(pid_t child, const sigset_t *all) {
  // The timeout is for a caller that has threads after all: one of them may swallow the child's
  // signal.
  const struct timespec patience = {1, 0};
  for (;;) {
    reap(child);
    int signal = sigtimedwait(all, NULL, &patience);
    if (signal <= 0 || signal == SIGCHLD) continue;
    // A child that has no group of its own yet is reached by its number.
    if (kill(-child, signal) < 0) kill(child, signal);
  }
}

int stint_fork_and_serve(void) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  // Ignored by whoever started us, the signal would not come and the child's status would be thrown
  // away (wait(2)).
  struct sigaction standard = {.sa_handler = SIG_DFL}, inherited;
  sigaction(SIGCHLD, &standard, &inherited);
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    sigaction(SIGCHLD, &inherited, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return -error;
  }
  if (child > 0) serve(child, &all);
  sigaction(SIGCHLD, &inherited, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (setpgid(0, 0) == 0 && isatty(STDIN_FILENO)) {
    // SIGTTOU is blocked here, so that taking the terminal does not stop us.
    tcsetpgrp(STDIN_FILENO, getpid());
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return 0;
}

int stint_fork_if_process_one(void) {
  return getpid() == 1 ? stint_fork_and_serve() : 0;
}

void stint_kill_self(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

void stint_stop_self(void) {
  // To this thread: it then stops before it returns. Sent to the process, another thread may take
  // the signal while this one runs on, and what it does next would be cut in the middle.
  raise(SIGSTOP);
}
