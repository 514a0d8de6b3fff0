/*
 * An MPI program that saves when it is warned: heat in a rod that is cut among the ranks.
 *
 *     mpicc -O2 -o heat heat.c
 *     mpirun -n 2 ./heat FOLDER RESULT [STEPS [SAVE-EVERY [PAUSE-MILLISECONDS]]]
 *
 * mpirun passes SIGUSR1 on to its ranks, each of which notices it at another step. So all agree on
 * one step (MPI_Allreduce), save there, and end. A rank writes a file of its own; the file
 * `current` in the folder names the last step that every rank has saved.
 *
 * Exit status: 0, done or not, because mpirun takes every other status for an error. The result
 * tells the difference: `stint exec --done-file RESULT`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CELLS = 2000, AGREE_EVERY = 10 };

static volatile sig_atomic_t is_warned;
static void warned(int number) {
  (void)number;
  is_warned = 1; /* nothing else in here: MPI may not be called in a handler */
}

static int rank, ranks;
static const char *folder;

static void fail(const char *what) {
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 74);
}

/* Puts a whole new file in the place of the old one: a kill leaves the one or the other. */
static void replace(const char *path, const void *bytes, size_t count) {
  char fresh[4096];
  snprintf(fresh, sizeof fresh, "%s.%d.new", path, (int)getpid());
  FILE *file = fopen(fresh, "w");
  if (file == NULL) fail(fresh);
  /* The bytes are on the disk before the name is. Each call may be the one that fails. */
  if (fwrite(bytes, 1, count, file) != count || fflush(file) != 0) fail(fresh);
  if (fsync(fileno(file)) != 0 || fclose(file) != 0 || rename(fresh, path) != 0) fail(path);
}

static void part(char *path, size_t size, long step) {
  snprintf(path, size, "%s/step-%ld-rank-%d", folder, step, rank);
}

/* Returns when the step is saved by all ranks; the one saved before is removed only then. */
static void save(const double *cells, int count, long step, long *saved) {
  char path[4096], text[32];
  if (step == *saved) return;
  part(path, sizeof path, step);
  replace(path, cells, count * sizeof *cells);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    snprintf(path, sizeof path, "%s/current", folder);
    replace(path, text, snprintf(text, sizeof text, "%ld\n", step));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  part(path, sizeof path, *saved);
  unlink(path);
  *saved = step;
}

/* Waits until no other run uses the folder: ranks outlive a killed mpirun by a second or two. */
static void lock(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/lock", folder);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666); /* held until the process ends */
  if (file < 0 || flock(file, LOCK_EX) != 0) fail(path);
}

/* The step to go on from; 0 for the beginning. */
static long load(double *cells, int count) {
  char path[4096];
  long step = 0;
  if (rank == 0) {
    lock();
    snprintf(path, sizeof path, "%s/current", folder);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%ld", &step) != 1) fail(path);
    if (file != NULL) fclose(file);
  }
  MPI_Bcast(&step, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (step == 0) return 0;
  part(path, sizeof path, step);
  FILE *file = fopen(path, "r");
  if (file == NULL || fread(cells, sizeof *cells, count, file) != (size_t)count) fail(path);
  fclose(file);
  return step;
}

int main(int argc, char **argv) {
  /* Before MPI_Init, which takes time: until then the signal would end the rank. */
  struct sigaction action = {.sa_handler = warned, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGTERM, &action, NULL);

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || CELLS % ranks != 0) {
    if (rank == 0) fprintf(stderr, "usage: heat FOLDER RESULT [STEPS [SAVE-EVERY [PAUSE]]]\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  folder = argv[1];
  long steps = argc > 3 ? atol(argv[3]) : 100000;
  long save_every = argc > 4 ? atol(argv[4]) : 10000;
  long pause_milliseconds = argc > 5 ? atol(argv[5]) : 0;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) fail(folder);

  /* The rank's part of the rod, and a cell of each neighbour. The left end of the rod is hot. */
  int count = CELLS / ranks;
  double *cells = calloc(count + 2, sizeof *cells), *next = calloc(count + 2, sizeof *next);
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  long step = load(cells + 1, count), saved = step;
  int ends = 0;
  while (step < steps && !ends) {
    if (rank == 0) cells[0] = 100;
    MPI_Sendrecv(&cells[count], 1, MPI_DOUBLE, right, 0, &cells[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&cells[1], 1, MPI_DOUBLE, left, 1, &cells[count + 1], 1, MPI_DOUBLE, right, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= count; i++)
      next[i] = cells[i] + 0.4 * (cells[i - 1] - 2 * cells[i] + cells[i + 1]);
    double *old = cells;
    cells = next;
    next = old;
    step++;
    if (pause_milliseconds > 0) usleep(pause_milliseconds * 1000);
    if (step % AGREE_EVERY == 0) {
      int mine = is_warned;
      MPI_Allreduce(&mine, &ends, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (ends || step % save_every == 0) save(cells + 1, count, step, &saved);
  }
  if (step == steps) {
    double *rod = rank == 0 ? calloc(CELLS, sizeof *rod) : NULL;
    MPI_Gather(cells + 1, count, MPI_DOUBLE, rod, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) replace(argv[2], rod, CELLS * sizeof *rod);
  }
  MPI_Finalize();
  return 0;
}
