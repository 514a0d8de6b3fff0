#define _GNU_SOURCE  // strptime
#include "CStintOptions.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t getopt_lock = PTHREAD_MUTEX_INITIALIZER;

// Values of long options begin above every letter.
enum { first_value = 256 };

static int32_t option_of(int value, const stint_option *options, int32_t count) {
  if (value >= first_value) return value - first_value;
  for (int32_t i = 0; i < count; i++) {
    if (options[i].letter != 0 && options[i].letter == value) return i;
  }
  return -1;
}

static int32_t scan(int argc, char *const *argv, const char *letters, const struct option *names,
                    const stint_option *options, int32_t count, stint_option_hit *hits, int32_t capacity) {
  int32_t used = 0;
  opterr = 0;
  optind = 0;  // glibc: start over, internal state included.
  for (;;) {
    int word = optind == 0 ? 1 : optind;  // The word that a cluster of short options is in.
    int value = getopt_long(argc, argv, letters, names, NULL);
    if (value == -1) break;
    if (used == capacity) return -E2BIG;
    stint_option_hit *hit = &hits[used++];
    *hit = (stint_option_hit){.kind = STINT_OPTION_FOUND, .option = -1, .text = optarg};
    if (value == 1) {
      hit->kind = STINT_OPTION_OPERAND;
    } else if (value == ':') {
      hit->kind = STINT_OPTION_ARGUMENT_MISSING;
      hit->option = option_of(optopt, options, count);
      hit->word = argv[word];
      hit->text = NULL;
    } else if (value == '?') {
      hit->kind = optopt >= first_value ? STINT_OPTION_ARGUMENT_REFUSED : STINT_OPTION_UNKNOWN;
      hit->option = optopt >= first_value ? optopt - first_value : -1;
      hit->letter = optopt > 0 && optopt < first_value ? optopt : 0;
      hit->word = argv[word];
      hit->text = NULL;
    } else {
      hit->option = option_of(value, options, count);
    }
  }
  for (int i = optind; i < argc; i++) {
    if (used == capacity) return -E2BIG;
    hits[used++] = (stint_option_hit){.kind = STINT_OPTION_OPERAND, .option = -1, .text = argv[i]};
  }
  return used;
}

int32_t stint_scan_options(int32_t argc, char *const *argv, const stint_option *options, int32_t option_count,
                           int32_t stops_at_operand, stint_option_hit *hits, int32_t capacity) {
  struct option *names = calloc((size_t)option_count + 1, sizeof *names);
  char *letters = calloc((size_t)option_count * 2 + 3, 1);
  int32_t result = -ENOMEM;
  if (names != NULL && letters != NULL) {
    char *end = letters;
    // '-': operands come in order, as value 1. '+': the first one ends the options. ':': tell a
    // missing argument apart.
    *end++ = stops_at_operand ? '+' : '-';
    *end++ = ':';
    for (int32_t i = 0; i < option_count; i++) {
      names[i].name = options[i].name;
      names[i].has_arg = options[i].takes_argument == 2   ? optional_argument
                         : options[i].takes_argument ? required_argument
                                                     : no_argument;
      names[i].val = first_value + i;
      if (options[i].letter != 0) {
        *end++ = (char)options[i].letter;
        if (options[i].takes_argument) *end++ = ':';
      }
    }
    pthread_mutex_lock(&getopt_lock);
    result = scan(argc, argv, letters, names, options, option_count, hits, capacity);
    pthread_mutex_unlock(&getopt_lock);
  }
  free(names);
  free(letters);
  return result;
}

int32_t stint_read_time(const char *text, const char *format, struct tm *fields) {
  *fields = (struct tm){0};
  const char *end = strptime(text, format, fields);
  return end != NULL && *end == 0;
}
