/*
 * A program in C that saves when it is warned: pi from darts that are thrown at random.
 *
 *     cc -O2 -o darts darts.c
 *     ./darts CHECKPOINT RESULT [BLOCKS [SAVE-EVERY [PAUSE-MILLISECONDS]]]
 *
 * Exit status: 0 the result is written, 75 saved and not done yet, 74 a file cannot be written.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_ME_AGAIN = 75, FAILED = 74, DARTS_OF_BLOCK = 100000 };

static volatile sig_atomic_t is_warned;
static void warned(int number) {
  (void)number;
  is_warned = 1; /* nothing else in here: the loop looks at it between two blocks */
}

/* Everything that the next block depends on; the random generator belongs to it. */
struct state {
  long blocks, hits;
  uint64_t random;
};

static void fail(const char *what) {
  perror(what);
  exit(FAILED);
}

/* Puts a whole new file in the place of the old one: a kill leaves the one or the other. */
static void replace(const char *path, const char *text) {
  char fresh[4096];
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE *file = fopen(fresh, "w");
  if (file == NULL) fail(fresh);
  /* The bytes are on the disk before the name is. Each call may be the one that fails. */
  if (fputs(text, file) == EOF || fflush(file) != 0 || fsync(fileno(file)) != 0) fail(fresh);
  if (fclose(file) != 0 || rename(fresh, path) != 0) fail(path);
}

static void save(const char *path, const struct state *state) {
  char text[128];
  snprintf(text, sizeof text, "%ld %ld %llu\n", state->blocks, state->hits,
           (unsigned long long)state->random);
  replace(path, text);
}

static struct state load(const char *path) {
  struct state state = {0, 0, 88172645463325252u};
  FILE *file = fopen(path, "r");
  if (file == NULL) return state;
  unsigned long long random;
  if (fscanf(file, "%ld %ld %llu", &state.blocks, &state.hits, &random) != 3) {
    fprintf(stderr, "%s is no checkpoint.\n", path);
    exit(FAILED);
  }
  state.random = random;
  fclose(file);
  return state;
}

/* A number from 0 up to, but not including, 1 (xorshift). */
static double dart(uint64_t *random) {
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  return (*random >> 11) * 0x1p-53;
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = warned, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &action, NULL);
  if (argc < 3) {
    fprintf(stderr, "usage: darts CHECKPOINT RESULT [BLOCKS [SAVE-EVERY [PAUSE]]]\n");
    return 64;
  }
  long blocks = argc > 3 ? atol(argv[3]) : 10000;
  long save_every = argc > 4 ? atol(argv[4]) : 1000;
  long pause_milliseconds = argc > 5 ? atol(argv[5]) : 0;

  struct state state = load(argv[1]);
  while (state.blocks < blocks) {
    for (int i = 0; i < DARTS_OF_BLOCK; i++) {
      double x = dart(&state.random), y = dart(&state.random);
      state.hits += x * x + y * y < 1;
    }
    state.blocks++;
    if (pause_milliseconds > 0) usleep(pause_milliseconds * 1000);
    if (is_warned || state.blocks % save_every == 0) save(argv[1], &state);
    if (is_warned && state.blocks < blocks) return RUN_ME_AGAIN;
  }
  char text[128];
  snprintf(text, sizeof text, "%.9f\n", 4.0 * state.hits / ((double)blocks * DARTS_OF_BLOCK));
  replace(argv[2], text);
  return 0;
}
