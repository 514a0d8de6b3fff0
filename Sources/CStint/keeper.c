#define _GNU_SOURCE
#include "keeper.h"

#include "CStintFile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A process between a batch and a command, forked off without a program of its own. It does the
// part of the work of `stint exec` that a batch cannot do when it is gone, and costs much less.

struct keeper {
  pid_t parent;
  pid_t leader;
  // How the command has ended, in the form of wait(2).
  int status;
  bool has_ended;
  // Whether it was sent SIGTERM, and when all of it has to be gone.
  bool is_ending;
  struct timespec due;
};

static void say(const char *text) {
  ssize_t count = write(STDERR_FILENO, text, strlen(text));
  (void)count;
}

static _Noreturn void refuse(const char *name, int error) {
  const char *why = strerrordesc_np(error);
  say("stint: The command ");
  say(name);
  say(" cannot be run: ");
  say(why == NULL ? "unknown error" : why);
  say(".\n");
  _exit(error == ENOENT ? 127 : 126);
}

static struct timespec now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return time;
}

static struct timespec after(struct timespec time, int64_t nanoseconds) {
  int64_t sum = time.tv_nsec + nanoseconds % 1000000000;
  time.tv_sec += nanoseconds / 1000000000 + sum / 1000000000;
  time.tv_nsec = sum % 1000000000;
  return time;
}

// The time until an instant; zero if it has passed.
static struct timespec until(struct timespec due) {
  struct timespec time = now();
  int64_t rest = (due.tv_sec - time.tv_sec) * 1000000000 + due.tv_nsec - time.tv_nsec;
  if (rest < 0) rest = 0;
  return (struct timespec){.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
}

// Takes the end of what has ended; whether no child is left.
static bool reap(struct keeper *keeper) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != keeper->leader) continue;
    keeper->status = status;
    keeper->has_ended = true;
  }
  return pid < 0 && errno == ECHILD;
}

// Sends SIGKILL to all children; false if they cannot be listed.
static bool kill_children(void) {
  int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  ssize_t count;
  pid_t number = 0;
  while ((count = read(file, text, sizeof text)) > 0) {
    for (ssize_t i = 0; i < count; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
      } else {
        if (number > 1) kill(number, SIGKILL);
        number = 0;
      }
    }
  }
  close(file);
  return true;
}

// Kills all descendants: those of a child that has died are children of this process then.
static void kill_family(struct keeper *keeper) {
  const struct timespec turn = {.tv_nsec = 2000000};
  for (int i = 0; i < 500 && !reap(keeper); i++) {
    if (!kill_children()) kill(keeper->leader, SIGKILL);
    nanosleep(&turn, NULL);
  }
}

static _Noreturn void leave(const struct keeper *keeper) {
  if (WIFSIGNALED(keeper->status)) stint_die_of(WTERMSIG(keeper->status));
  _exit(WEXITSTATUS(keeper->status));
}

static void take(struct keeper *keeper, int number, int64_t grace) {
  if (number == SIGTSTP) {
    // The command has the signal, too, and a moment to do what it does before a stop.
    const struct timespec moment = {.tv_nsec = 50000000};
    nanosleep(&moment, NULL);
    kill(0, SIGSTOP);
  }
  if (number != SIGTERM || keeper->is_ending) return;
  keeper->is_ending = true;
  keeper->due = after(now(), grace);
  // The kernel tells this process alone that the batch is gone.
  if (getppid() != keeper->parent) kill(0, SIGTERM);
}

_Noreturn void stint_keep(const stint_spawn_request *request, pid_t parent) {
  int death = request->death_signal > 0 ? request->death_signal : SIGKILL;
  // Gone before that was set, the parent would have sent nothing.
  if (prctl(PR_SET_PDEATHSIG, death) < 0 || getppid() != parent || setpgid(0, 0) < 0) _exit(127);
  prctl(PR_SET_NAME, "stint-keeper");
  prctl(PR_SET_CHILD_SUBREAPER, 1ul, 0ul, 0ul, 0ul);
  for (int i = 0; i < 3; i++) {
    if (request->standard != NULL && dup2(request->standard[i], i) < 0) _exit(127);
  }
  closefrom(3);
  if (request->locks_output) {
    struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = STINT_FAMILY_BYTE};
    // Where there are no locks, it goes without one.
    (void)fcntl(STDOUT_FILENO, F_SETLK, &own);
  }
  stint_spawn_request command = *request;
  command.standard = NULL;
  command.program = -1;
  command.kept_count = 0;
  command.death_signal = SIGKILL;
  command.leads_group = 0;
  command.terminal = -1;
  command.cgroup = -1;
  command.locks_output = 0;
  int error;
  struct keeper keeper = {.parent = parent, .leader = stint_start_kept(&command, &error)};
  if (error != 0) refuse(request->arguments[0], error);
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    bool is_alone = reap(&keeper);
    if (keeper.has_ended && (is_alone || !keeper.is_ending)) leave(&keeper);
    struct timespec rest = keeper.is_ending ? until(keeper.due) : (struct timespec){.tv_sec = 3600};
    if (keeper.is_ending && rest.tv_sec == 0 && rest.tv_nsec == 0) {
      kill_family(&keeper);
      if (keeper.has_ended) leave(&keeper);
      // It waits for a device, and ends when that lets it go.
      keeper.due = after(now(), 1000000000);
      continue;
    }
    int number = sigtimedwait(&all, NULL, &rest);
    if (number > 0) take(&keeper, number, request->keeper_grace);
  }
}
