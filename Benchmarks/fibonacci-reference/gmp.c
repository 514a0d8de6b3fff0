// F(n) and its digits by GMP's own two functions, as anybody would call them.
//
//   gmp N number        only mpz_fib_ui
//   gmp N digits OUT    mpz_fib_ui, mpz_get_str, and the digits with a newline into OUT
//
// Prints the seconds of both functions. The digits' file is written after the clock was read.
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count < 3) return 64;
  mpz_t number;
  mpz_init(number);
  double begin = now();
  mpz_fib_ui(number, strtoul(words[1], NULL, 10));
  double middle = now();
  double end = middle;
  if (strcmp(words[2], "digits") == 0 && count > 3) {
    char *text = mpz_get_str(NULL, 10, number);
    end = now();
    FILE *file = fopen(words[3], "w");
    if (file == NULL || fputs(text, file) < 0 || fputc('\n', file) < 0 || fclose(file) != 0) return 74;
  }
  printf("%.9f %.9f\n", middle - begin, end - middle);
  return 0;
}
