/// The options that only `batch` has.
enum BatchOptionTable {
  /// What the lines are, and how they are run.
  static let work = [
    OptionSpecification(
      "jobs", letter: "j", argument: "COUNT", group: .work,
      help: "Lines that run at the same time (default: one per processor)"),
    OptionSpecification(
      "threads", argument: "COUNT", group: .work,
      help: "Threads for each line (default: processors divided by -j)"),
    OptionSpecification(
      "template", argument: "TEXT", group: .work,
      help:
        "A line with placeholders, run for each value: {} {.} {/} {//} {/.} {#} {1} {2}; the values "
        + "stand behind ::: or in files"),
    OptionSpecification(
      "files-from", argument: "LIST", group: .work,
      help: "With --template: values, one per line or separated by NUL; - for standard input"),
    OptionSpecification(
      "shell", group: .work, help: "Run each line with sh -c; a template gets its values in quotes"),
    OptionSpecification(
      "keep-duplicates", group: .work,
      help: "Run equal lines as often as they are there (default: once)"),
    OptionSpecification(
      "retries", argument: "COUNT", group: .work,
      help: "Run a line that fails up to COUNT times in all (default 1)"),
    OptionSpecification(
      "retry-delay", argument: "TIME", group: .work, help: "Wait so long before each further run"),
    OptionSpecification(
      "retry-more-time", argument: "FACTOR", group: .work,
      help: "Give each further run FACTOR times the --timeout of the run before"),
    OptionSpecification(
      "halt", argument: "WHEN", group: .work,
      help:
        "End the batch when lines fail: soon,fail=N starts no more lines, now,fail=N also ends those "
        + "that run; P% in place of N counts the lines that have ended"),
    OptionSpecification(
      "timeout", argument: "TIME", group: .work,
      help: "End a line that runs for so long; it has failed with 124"),
    OptionSpecification(
      "delay", argument: "TIME", group: .work, help: "Wait so long between the starts of two lines"),
    OptionSpecification(
      "memory-free", argument: "SIZE", group: .work,
      help: "Start a line only while so much memory is available, such as 2G"),
    OptionSpecification(
      "load", argument: "N", group: .work,
      help: "Start a line only while the load average is at most N, or P% of the processors"),
    OptionSpecification(
      "stdin-from", argument: "FILE", group: .work,
      help: "Standard input of each line (default /dev/null)"),
  ]

  /// What becomes of the output of the lines, and of their records.
  static let output = [
    OptionSpecification(
      "keep-order", letter: "k", group: .output,
      help: "Write the output of the lines in the order of the lines"),
    OptionSpecification(
      "tag", group: .output,
      help: "Begin each line of output with the values, or with the batch line, and a tab"),
    OptionSpecification(
      "results", argument: "DIR", group: .output,
      help: "Also keep the output of each line in DIR/NUMBER/stdout and stderr"),
    OptionSpecification(
      "joblog", argument: "FILE", group: .output,
      help: "Append a record to FILE each time the process of a batch line ends"),
    OptionSpecification(
      "joblog-format", argument: "FORMAT", group: .output,
      help: "Form of the records: json, or parallel for the table of GNU parallel (default json)"),
  ]
}
