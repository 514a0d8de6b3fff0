/*
 * A worker that makes good use of a limited time, in C. Usage: good_worker FOLDER
 *
 * The same as good_worker.py: it computes in small steps, saves what it has every second and before
 * its time ends, and goes on from there when it is started again.
 *
 *     cc -O2 -o good_worker good_worker.c
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUN_ME_AGAIN = 75, FAILED = 74 };
static const double save_every = 1.0; /* what is lost at most if the end comes without a warning */

static volatile sig_atomic_t is_warned;
static void warned(int number) {
  (void)number;
  is_warned = 1; /* nothing else in here: the main loop looks at it between two steps */
}

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}
/* The clock of STINT_DEADLINE: seconds since the machine was started, suspension included. */
static double now(void) { return seconds(CLOCK_BOOTTIME); }

struct state {
  double work_time;
  long long steps;
  unsigned long long x;
};
static char checkpoint[4096], fresh[4096], events[4096], folder[4096];

static struct state load(void) {
  struct state state = {0, 0, 1};
  FILE *file = fopen(checkpoint, "r");
  if (file == NULL) return state;
  if (fscanf(file, "{\"workTimeSeconds\": %lf, \"steps\": %lld, \"x\": %llu}", &state.work_time,
             &state.steps, &state.x) != 3) {
    fprintf(stderr, "%s is no checkpoint.\n", checkpoint);
    exit(FAILED);
  }
  fclose(file);
  return state;
}

static void fail(const char *what) {
  perror(what);
  exit(FAILED);
}

/* Returns when the state is on the disk. At any moment there is a whole checkpoint: the old or the
   new one. */
static double save(const struct state *state) {
  double began = now();
  FILE *file = fopen(fresh, "w");
  if (file == NULL) fail(fresh);
  fprintf(file, "{\"workTimeSeconds\": %.6f, \"steps\": %lld, \"x\": %llu}\n", state->work_time,
          state->steps, state->x);
  /* The bytes are on the disk before the name is. Each call may be the one that fails. */
  if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0) fail(fresh);
  if (rename(fresh, checkpoint) != 0) fail(checkpoint);
  int directory = open(folder, O_RDONLY | O_DIRECTORY);
  if (directory < 0 || fsync(directory) != 0) fail(folder); /* and so is the name */
  close(directory);
  double took = now() - began;
  /* For the benchmark only: said after it is true, never before. */
  file = fopen(events, "a");
  if (file != NULL) {
    fprintf(file,
            "{\"event\": \"checkpoint\", \"bootSeconds\": %.6f, \"tookSeconds\": %.6f, "
            "\"workTimeSeconds\": %.6f}\n",
            now(), took, state->work_time);
    fclose(file);
  }
  return took;
}

/* Some 10 ms of work; a real program computes something here. */
static void step(struct state *state) {
  double began = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < 5000000; i++) state->x = state->x * 6364136223846793005ULL + 1;
  state->steps += 1;
  state->work_time += seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
}

int main(int count, char **words) {
  if (count != 2) {
    fprintf(stderr, "usage: good_worker FOLDER\n");
    return 64;
  }
  snprintf(folder, sizeof folder, "%s", words[1]);
  snprintf(checkpoint, sizeof checkpoint, "%.4000s/checkpoint.json", folder);
  snprintf(fresh, sizeof fresh, "%.4000s/checkpoint.json.new", folder);
  snprintf(events, sizeof events, "%.4000s/events.jsonl", folder);

  /* Two ways to learn of the end. The deadline is told at the start, if there is one; the signal
     comes some time before the end, also where nobody knew it at the start. */
  double deadline = 1e18;
  const char *told = getenv("STINT_DEADLINE");
  if (told != NULL) deadline = strtoll(told, NULL, 10) / 1e9;
  struct sigaction action = {.sa_handler = warned};
  sigaction(SIGTERM, &action, NULL);

  struct state state = load();
  double saved_at = now(), longest_step = 0.02, longest_save = 0.02;
  for (;;) {
    /* One more step has to fit before the end, and then a checkpoint. A disk is at times much
       slower than it was so far, so that a checkpoint counts thrice. */
    if (is_warned || now() + longest_step + 3 * longest_save + 0.05 > deadline) {
      save(&state);
      return RUN_ME_AGAIN;
    }
    double began = now();
    step(&state);
    if (now() - began > longest_step) longest_step = now() - began;
    if (now() - saved_at >= save_every) {
      double took = save(&state);
      if (took > longest_save) longest_save = took;
      saved_at = now();
    }
  }
}
