/// Every option, described once; verbs pick theirs.
///
/// Texts are literals: what is put together here is put together at the start of each process.
enum OptionTable {
  static let budget = OptionSpecification(
    "budget", argument: "TIME", group: .time,
    help: "Time limit for one run, such as 30s or 1h30m (default: none)")
  static let until = OptionSpecification(
    "until", argument: "WHEN", group: .time,
    help:
      "Stop by this time: 06:00, or 2026-11-21T06:00, with Z or an offset if it is not local "
      + "time")
  static let deadlineFile = OptionSpecification(
    "deadline-file", argument: "FILE", group: .time,
    help:
      "Stop by the time that this file holds, such as 2026-11-21T06:00:00Z or @1795250641; the "
      + "file may appear and change while the work runs")
  static let lead = OptionSpecification(
    "lead", argument: "TIME", group: .time,
    help:
      "How long before the deadline to start saving (default: a quarter of the budget, 50ms to "
      + "5s)")
  static let stopGrace = OptionSpecification(
    "stop-grace", argument: "TIME", group: .time,
    help: "Time to save after SIGTERM or SIGHUP (default 5s)")
  static let tick = OptionSpecification(
    "tick", argument: "TIME", group: .time,
    help: "Time between progress reports, at least 50ms (default 0.5s)")
  static let untilDone = OptionSpecification(
    "until-done", group: .time, help: "Keep running, one budget after another, until finished")
  static let rest = OptionSpecification(
    "rest", argument: "TIME", group: .time,
    help: "Pause between two budgets of --until-done (default 1s)")
  static let policy = OptionSpecification(
    "policy", argument: "NAME", group: .time,
    help:
      "Budget and lead of a known system: ios6, ios7, ios13, harmonyos, command-line, "
      + "unlimited")

  /// All that is about time, for verbs that run something.
  static let ofTime = [
    budget, until, deadlineFile, lead, stopGrace, tick, untilDone, rest, policy,
  ]

  static let checkpointEvery = OptionSpecification(
    "checkpoint-every", argument: "TIME", group: .saving,
    help: "Time between two checkpoints (default: chosen by what they cost)")
  static let fresh = OptionSpecification(
    "fresh", group: .saving, help: "Start over and discard the job's checkpoints")
  static let keep = OptionSpecification(
    "keep", group: .saving, help: "Keep the checkpoints of the finished job")

  static let sequence = OptionSpecification(
    "sequence", argument: "FROM..TO", group: .work,
    help: "Compute every number of a range instead of N, one line each: position and value")
  static let threads = OptionSpecification(
    "threads", argument: "COUNT", group: .work,
    help: "Threads to use (default: as many as this process may use)")
  static let isolated = OptionSpecification(
    "isolated", group: .work,
    help: "Work in a child process, so that a crash costs only the time since the last checkpoint")
  static let dryRun = OptionSpecification(
    "dry-run", group: .work,
    help: "Only estimate time, memory, disk and the smallest budget that would do")

  static let output = OptionSpecification(
    "output", letter: "o", argument: "FILE", group: .output,
    help: "Write the result to this file (default: standard output)")
  static let force = OptionSpecification(
    "force", letter: "f", group: .output,
    help: "Overwrite the output file even if another program wrote it")
  static let format = OptionSpecification(
    "format", argument: "FORMAT", group: .output,
    help: "decimal, hex, raw, digits (default decimal)")
  static let unfinishedExitCode = OptionSpecification(
    "unfinished-exit-code", argument: "CODE", group: .output,
    help: "Exit status that means \"unfinished, run again\", 1 to 125 (default 75)")

  static let places = OptionSpecification(
    "jobs", letter: "j", argument: "COUNT", group: .work,
    help: "Lines that run at the same time (default: one per processor)")
  static let lineThreads = OptionSpecification(
    "threads", argument: "COUNT", group: .work,
    help: "Threads for each line (default: processors divided by -j)")
  static let batchFresh = OptionSpecification(
    "fresh", group: .saving, help: "Start over, including finished lines")
  static let batchName = OptionSpecification(
    "name", argument: "NAME", group: .jobs,
    help: "Name of this batch, to tell it from others of the same file or from standard input")
  static let jobLog = OptionSpecification(
    "joblog", argument: "FILE", group: .output,
    help: "Append a JSON line to this file each time a line's process ends")

  static let json = OptionSpecification(
    "json", group: .display, help: "Write JSON for programs")
  static let quiet = OptionSpecification(
    "quiet", letter: "q", group: .display, help: "Do not print progress")
  static let events = OptionSpecification(
    "events", argument: "FILE", group: .display, help: "Write every event to FILE as a JSON line")

  /// What is shown while something runs.
  static let ofDisplay = [json, quiet, events]

  static let html = OptionSpecification(
    "html", argument: "FILE", group: .output,
    help: "Write a self-contained HTML page with plots (overwrites FILE)")
  static let trace = OptionSpecification(
    "trace", argument: "FILE", group: .output,
    help: "Write a trace for Perfetto in Chrome's trace-event format (overwrites FILE)")

  static let jobsDirectory = OptionSpecification(
    "jobs-dir", argument: "DIR", environment: "STINT_JOBS", group: .jobs,
    help: "Where jobs live (default ~/.local/state/stint/jobs)")
  static let now = OptionSpecification(
    "now", group: .jobs, help: "Stop immediately instead of after the next checkpoint")
  static let cleanDryRun = OptionSpecification(
    "dry-run", group: .jobs, help: "Only list what would be removed")
  static let all = OptionSpecification(
    "all", group: .jobs, help: "Also remove unfinished jobs; their work is lost")

  static let help = OptionSpecification(
    "help", letter: "h", group: .general, help: "Show this help")
  static let version = OptionSpecification(
    "version", letter: "V", group: .general, help: "Show the version")
}
