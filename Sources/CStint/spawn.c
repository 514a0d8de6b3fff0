#define _GNU_SOURCE
#include "CStintFile.h"
#include "CStintSpawn.h"
#include "CStintThread.h"
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Enough for the path of a descriptor.
enum { PATH_BYTES = 32 };

// What the child needs before it has a memory of its own.
struct start {
  const stint_spawn_request *request;
  pid_t parent;
  // The path of the program's descriptor.
  char program[PATH_BYTES];
  volatile int failed_at;
  volatile int error;
};

// The child borrows this process's memory and the thread's errno, and returns to nobody: no
// instrumentation may keep books on it.
#define BORROWED __attribute__((disable_sanitizer_instrumentation, noinline))

BORROWED static int fail(struct start *start, int at) {
  start->failed_at = at;
  start->error = errno;
  _exit(127);
}

// Handlers are gone after exec; what was ignored when this process was started stays so, as for
// nohup. Nobody could have a use for an ignored SIGCHLD, which throws statuses away.
BORROWED static void clear_signals(void) {
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) < 0) continue;
    if (now.sa_handler == SIG_DFL || (now.sa_handler == SIG_IGN && number != SIGCHLD)) continue;
    sigaction(number, &standard, NULL);
  }
}

// What a terminal sent to the group that the child was in until now is that group's, and whoever
// leads it passes it on. A stop would hold the child before its exec, and with it the thread that
// waits for that.
BORROWED static void forget_terminal(void) {
  const int sent[] = {SIGHUP, SIGINT, SIGQUIT, SIGTSTP};
  for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    if (sigaction(sent[i], &ignored, &before) == 0) sigaction(sent[i], &before, NULL);
  }
}

BORROWED static void become(int program, const char *path, char *const *arguments, char *const *environment) {
  execveat(program, "", arguments, environment, AT_EMPTY_PATH);
  // Filters of system calls refuse that with any error.
  execve(path, arguments, environment);
}

static void write_path(char path[PATH_BYTES], int descriptor) {
  snprintf(path, PATH_BYTES, "/proc/self/fd/%d", descriptor);
}

int stint_exec_descriptor(int program, char *const *arguments, char *const *environment) {
  char path[PATH_BYTES];
  write_path(path, program);
  become(program, path, arguments, environment);
  return -errno;
}

BORROWED static int enter_cgroup(int directory) {
  int procs = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (procs < 0) return -1;
  return write(procs, "0", 1) == 1 ? close(procs) : -1;
}

BORROWED static int run(void *raw) {
  struct start *start = raw;
  const stint_spawn_request *request = start->request;
  int death = request->death_signal > 0 ? request->death_signal : SIGKILL;
  if (prctl(PR_SET_PDEATHSIG, death) < 0) return fail(start, STINT_SPAWN_FORK);
  // Gone before that was set, the parent would have sent nothing.
  if (getppid() != start->parent) _exit(127);
  if (request->leads_group) {
    if (setpgid(0, 0) < 0) return fail(start, STINT_SPAWN_FORK);
    forget_terminal();
  }
  // All signals are blocked here, SIGTTOU too. Where there is no terminal any more, the command
  // will see for itself.
  if (request->terminal >= 0) (void)tcsetpgrp(request->terminal, getpgrp());
  if (request->cgroup >= 0 && enter_cgroup(request->cgroup) < 0) return fail(start, STINT_SPAWN_CGROUP);
  // None of the three is one of the first three, so that none is overwritten before it is taken.
  for (int i = 0; request->standard != NULL && i < 3; i++) {
    if (dup2(request->standard[i], i) < 0) return fail(start, STINT_SPAWN_FORK);
  }
  if (request->locks_output) {
    // Any descriptor of the file that is closed, at exec too, would give the lock back.
    for (int i = 0; request->standard != NULL && i < 3; i++) close(request->standard[i]);
    struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = STINT_FAMILY_BYTE};
    // Where there are no locks, it goes without one.
    (void)fcntl(STDOUT_FILENO, F_SETLK, &own);
  }
  for (int32_t i = 0; i < request->kept_count; i++) {
    if (fcntl(request->kept[i], F_SETFD, 0) < 0) return fail(start, STINT_SPAWN_FORK);
  }
  clear_signals();
  for (int32_t i = 0; i < request->defaults_count; i++) {
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(request->defaults[i], &standard, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (request->program >= 0) {
    become(request->program, start->program, request->arguments, request->environment);
  } else {
    execvpe(request->arguments[0], request->arguments, request->environment);
  }
  return fail(start, STINT_SPAWN_EXEC);
}

// The numbers of spared children: 0 for a free place, -1 while one is being started. The kernel
// writes the number before the child runs, so that no supervisor takes it for its command's.
static _Atomic int32_t spared[STINT_SPARED_MOST];
static _Atomic uint64_t spared_changes;

static _Atomic int32_t *claim_place(void) {
  for (int i = 0; i < STINT_SPARED_MOST; i++) {
    int32_t none = 0;
    if (!atomic_compare_exchange_strong(&spared[i], &none, -1)) continue;
    atomic_fetch_add(&spared_changes, 1);
    return &spared[i];
  }
  return NULL;
}

static void free_place(_Atomic int32_t *place) {
  atomic_store(place, 0);
  atomic_fetch_add(&spared_changes, 1);
}

void stint_spare_child(int32_t pid) {
  _Atomic int32_t *place = claim_place();
  if (place != NULL) atomic_store(place, pid);
}

int32_t stint_spared_children(int32_t *pids, uint64_t *changes) {
  int32_t count = 0;
  *changes = atomic_load(&spared_changes);
  for (int i = 0; i < STINT_SPARED_MOST; i++) {
    int32_t pid;
    while ((pid = atomic_load(&spared[i])) < 0) sched_yield();
    if (pid > 0) pids[count++] = pid;
  }
  return count;
}

// Starts the command of a request in a child that borrows this process's memory until its program
// runs. Returns its number, or -1 with the errno.
//
// Not fork: the pages of a large process need not be prepared for copying, and this thread goes on
// only when the memory is its own again, so a failure needs no pipe to come back.
static pid_t start_borrowed(struct start *start, _Atomic int32_t *place) {
  size_t words = 0;
  while (start->request->arguments[words] != NULL) words++;
  // execvpe keeps a path and, for a script without an interpreter line, another vector of words on
  // the stack.
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t size = (65536 + words * sizeof(char *) + page - 1) / page * page;
  void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (place != NULL ? CLONE_PARENT_SETTID : 0);
  pid_t pid = clone(run, (char *)stack + size, flags, start, (pid_t *)place);
  int error = errno;
  munmap(stack, size);
  errno = error;
  return pid;
}

pid_t stint_start_kept(const stint_spawn_request *request, int *error) {
  struct start start = {.request = request, .parent = getpid()};
  pid_t pid = start_borrowed(&start, NULL);
  *error = pid < 0 ? errno : start.failed_at != 0 ? start.error : 0;
  return pid;
}

int stint_spawn(const stint_spawn_request *request, stint_spawn_result *result) {
  *result = (stint_spawn_result){.pid = 0, .failed_at = STINT_SPAWN_FORK, .error = 0};
  _Atomic int32_t *place = request->is_spared ? claim_place() : NULL;
  if (request->is_spared && place == NULL) {
    result->error = EAGAIN;
    return -1;
  }
  stint_keep_child_statuses();
  struct start start = {.request = request, .parent = getpid()};
  write_path(start.program, request->program);
  sigset_t all, before;
  sigfillset(&all);
  // A handler of this process must not run in the child, whose memory is the same.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = request->keeper_grace > 0 ? fork() : start_borrowed(&start, place);
  if (pid == 0) stint_keep(request, start.parent);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) {
    if (place != NULL) free_place(place);
    result->error = error;
    return -1;
  }
  result->pid = pid;
  result->failed_at = start.failed_at;
  result->error = start.error;
  if (start.failed_at == 0) return 0;
  stint_child_reap(pid);
  return -1;
}

static int look(int32_t pid, int options, stint_child_event *event) {
  siginfo_t info;
  int result;
  do {
    memset(&info, 0, sizeof info);
    result = waitid(pid == 0 ? P_ALL : P_PID, (id_t)pid, &info, options | WNOHANG);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return -errno;
  // All zero if nothing has happened, which is STINT_CHILD_NOTHING.
  *event = (stint_child_event){.pid = info.si_pid, .what = info.si_code, .value = info.si_status};
  return 0;
}

int stint_child_peek(int32_t pid, stint_child_event *event) {
  return look(pid, WEXITED | WNOWAIT, event);
}

int stint_child_next_stop(int32_t pid, stint_child_event *event) {
  return look(pid, WSTOPPED | WCONTINUED, event);
}

int stint_child_reap(int32_t pid) {
  long result = TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0));
  int error = errno;
  for (int i = 0; i < STINT_SPARED_MOST; i++) {
    if (pid > 0 && atomic_load(&spared[i]) == pid) free_place(&spared[i]);
  }
  return result < 0 ? -error : 0;
}

int stint_adopt_orphans(int32_t adopts) {
  return prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)adopts, 0ul, 0ul, 0ul) < 0 ? -errno : 0;
}

int stint_terminal_give(int terminal, int32_t group) {
  // From the background the kernel would stop us first.
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output, &before);
  int result = tcsetpgrp(terminal, group) < 0 ? -errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}
