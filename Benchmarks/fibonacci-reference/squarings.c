// F(n) by fast doubling whose two squarings run side by side, and nothing else: no checkpoint, no chunk, no worker. It shows what two
// processors allow to a program that calls GMP's own products; see docs/fibonacci-digits.md.
//
//   cc -O2 -o squarings squarings.c -lgmp -lpthread
//   squarings N THREADS     prints the seconds, and F(n) modulo a prime to compare
#include <gmp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static mpz_t previous, previous_square;
static sem_t wanted, made;

static void *square(void *unused) {
  (void)unused;
  while (sem_wait(&wanted) == 0) {
    mpz_mul(previous_square, previous, previous);
    sem_post(&made);
  }
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count < 3) return 64;
  unsigned long n = strtoul(words[1], NULL, 10);
  int is_parallel = atoi(words[2]) > 1;
  mpz_t current, current_square;
  mpz_inits(current, current_square, previous, previous_square, NULL);
  sem_init(&wanted, 0, 0);
  sem_init(&made, 0, 0);
  pthread_t helper;
  if (is_parallel && pthread_create(&helper, NULL, square, NULL) != 0) return 71;

  double began = now();
  int bits = 0;
  while (n >> bits > 90) bits++;
  mpz_fib2_ui(current, previous, n >> bits);
  for (; bits > 0; bits--) {
    unsigned long k = n >> bits;
    if (is_parallel && mpz_size(current) > 2048) {
      sem_post(&wanted);
      mpz_mul(current_square, current, current);
      sem_wait(&made);
    } else {
      mpz_mul(current_square, current, current);
      mpz_mul(previous_square, previous, previous);
    }
    // F(2k-1) = a + b, F(2k+1) = 4a - b + 2(-1)^k, F(2k) = F(2k+1) - F(2k-1)
    mpz_add(previous, current_square, previous_square);
    mpz_mul_2exp(current_square, current_square, 2);
    mpz_sub(current, current_square, previous_square);
    if (k & 1) mpz_sub_ui(current, current, 2); else mpz_add_ui(current, current, 2);
    if (n >> (bits - 1) & 1) mpz_sub(previous, current, previous); else mpz_sub(current, current, previous);
  }
  double seconds = now() - began;
  printf("%.6f %lu\n", seconds, mpz_fdiv_ui(current, 1000000007));
  return 0;
}
