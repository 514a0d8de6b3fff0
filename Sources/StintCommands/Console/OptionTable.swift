/// Every option, described once; verbs pick theirs.
///
/// Texts are literals: what is put together here is put together at the start of each process.
enum OptionTable {
  static let budget = OptionSpecification(
    "budget", argument: "TIME", group: .time,
    help: "Background time for one stint, such as 30s or 1h30m; without it there is no limit")
  static let until = OptionSpecification(
    "until", argument: "WHEN", group: .time,
    help: "Stop by then: 06:00, or 2026-11-21T06:00 with Z or an offset if not local")
  static let lead = OptionSpecification(
    "lead", argument: "TIME", group: .time,
    help: "Warn so long before the end (default: a quarter of the budget, 50ms to 5s)")
  static let stopGrace = OptionSpecification(
    "stop-grace", argument: "TIME", group: .time,
    help: "Time to save after SIGTERM or SIGHUP (default 5s)")
  static let tick = OptionSpecification(
    "tick", argument: "TIME", group: .time,
    help: "Time between two reports, at least 50ms (default 0.5s)")
  static let untilDone = OptionSpecification(
    "until-done", group: .time, help: "Go on stint after stint until the result is there")
  static let rest = OptionSpecification(
    "rest", argument: "TIME", group: .time,
    help: "Pause between two stints of --until-done (default 1s)")
  static let policy = OptionSpecification(
    "policy", argument: "NAME", group: .time,
    help: "Budget and lead of a system: ios6, ios7, ios13, harmonyos, command-line, unlimited")

  /// All that is about time, for verbs that run something.
  static let ofTime = [budget, until, lead, stopGrace, tick, untilDone, rest, policy]

  static let checkpointEvery = OptionSpecification(
    "checkpoint-every", argument: "TIME", group: .saving,
    help: "Time between two checkpoints (default: learnt from what they cost)")
  static let fresh = OptionSpecification(
    "fresh", group: .saving, help: "Start over, although the job has checkpoints")
  static let keep = OptionSpecification(
    "keep", group: .saving, help: "Keep the checkpoints of the finished job")

  static let sequence = OptionSpecification(
    "sequence", argument: "FROM..TO", group: .work,
    help: "Each number of a range, as lines of position and value, in place of N")
  static let threads = OptionSpecification(
    "threads", argument: "COUNT", group: .work,
    help: "Threads to use (default: what affinity and quota allow)")
  static let isolated = OptionSpecification(
    "isolated", group: .work,
    help: "Work in a child process: a crash costs no more than the time since the last checkpoint")
  static let dryRun = OptionSpecification(
    "dry-run", group: .work, help: "Say what it would take and the least budget, and do nothing")

  static let output = OptionSpecification(
    "output", letter: "o", argument: "FILE", group: .output,
    help: "Where the result goes (default: standard output)")
  static let force = OptionSpecification(
    "force", letter: "f", group: .output,
    help: "Replace a file that is not this job's own result")
  static let format = OptionSpecification(
    "format", argument: "FORMAT", group: .output,
    help: "decimal, hex, raw, digits (default decimal)")
  static let unfinishedExitCode = OptionSpecification(
    "unfinished-exit-code", argument: "CODE", group: .output,
    help: "Exit status for \"run me again\", 1 to 125 (default 75)")

  static let places = OptionSpecification(
    "jobs", letter: "j", argument: "COUNT", group: .work,
    help: "Lines that run at a time (default: as many as there are processors)")
  static let lineThreads = OptionSpecification(
    "threads", argument: "COUNT", group: .work,
    help: "Threads of each line (default: the processors divided by -j)")
  static let batchFresh = OptionSpecification(
    "fresh", group: .saving, help: "Start over, also what is finished")
  static let batchName = OptionSpecification(
    "name", argument: "NAME", group: .jobs,
    help: "Tells this batch from others of the same file or of standard input")
  static let jobLog = OptionSpecification(
    "joblog", argument: "FILE", group: .output,
    help: "Append a JSON line for each end of a line's process")

  static let json = OptionSpecification(
    "json", group: .display, help: "Write JSON, for programs")
  static let quiet = OptionSpecification(
    "quiet", letter: "q", group: .display, help: "No progress on standard error")
  static let events = OptionSpecification(
    "events", argument: "FILE", group: .display, help: "Write every event as a JSON line")

  /// What is shown while something runs.
  static let ofDisplay = [json, quiet, events]

  static let html = OptionSpecification(
    "html", argument: "FILE", group: .output,
    help: "Write a page with plots, whole in itself; an older file is replaced")
  static let trace = OptionSpecification(
    "trace", argument: "FILE", group: .output,
    help: "Write a trace for Perfetto, in Chrome's trace-event format; an older file is replaced")

  static let jobsDirectory = OptionSpecification(
    "jobs-dir", argument: "DIR", environment: "STINT_JOBS", group: .jobs,
    help: "Where jobs live (default ~/.local/state/stint/jobs)")
  static let now = OptionSpecification(
    "now", group: .jobs, help: "Stop at once, not after the next checkpoint")
  static let cleanDryRun = OptionSpecification(
    "dry-run", group: .jobs, help: "Say what would be removed, and remove nothing")
  static let all = OptionSpecification(
    "all", group: .jobs, help: "Also jobs that are not finished; their work is lost")

  static let help = OptionSpecification(
    "help", letter: "h", group: .general, help: "Show this help")
  static let version = OptionSpecification(
    "version", letter: "V", group: .general, help: "Show the version")
}
