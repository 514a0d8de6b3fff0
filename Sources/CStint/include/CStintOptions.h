// Options by getopt_long(3). Its state is global; one call here scans a whole command line under a
// lock.
#pragma once

#include <stdint.h>
#include <time.h>

/// An option as the table knows it.
typedef struct {
  /// The name without its two hyphens.
  const char *name;
  /// The letter of the short form, or 0.
  int32_t letter;
  /// 0: no argument. 1: one must follow. 2: one may follow, after an equals sign.
  int32_t takes_argument;
} stint_option;

/// What one step of the scan found.
enum {
  STINT_OPTION_FOUND = 0,
  STINT_OPTION_OPERAND = 1,
  STINT_OPTION_UNKNOWN = 2,
  STINT_OPTION_ARGUMENT_MISSING = 3,
  STINT_OPTION_ARGUMENT_REFUSED = 4,
};

/// One thing on the command line. Pointers go into argv.
typedef struct {
  /// STINT_OPTION_...
  int32_t kind;
  /// The option's place in the table (found, missing, refused), or -1.
  int32_t option;
  /// The option's argument or the operand, or NULL.
  const char *text;
  /// The word that was not understood (unknown, missing, refused), or NULL.
  const char *word;
  /// The short letter that was not understood, or 0.
  int32_t letter;
} stint_option_hit;

/// Scans a command line.
///
/// With `stops_at_operand` the first operand ends the options; else both may be mixed until `--`.
/// Long names may be abbreviated as far as they stay unique; an ambiguous abbreviation is reported
/// as unknown. A hit is written for every option and operand in order, at most `capacity`; as many
/// as there are bytes in argv always suffice.
///
/// Returns the number of hits, or -errno. Any thread.
int32_t stint_scan_options(int32_t argc, char *const *argv, const stint_option *options, int32_t option_count,
                           int32_t stops_at_operand, stint_option_hit *hits, int32_t capacity);

/// Reads a time by one of strptime(3)'s formats; Swift does not see that function.
///
/// Returns 1 if the whole text matched, else 0. Fields that the format does not name are 0.
int32_t stint_read_time(const char *text, const char *format, struct tm *fields);
