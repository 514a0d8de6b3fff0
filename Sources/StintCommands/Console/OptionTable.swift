/// Every option, described once; verbs pick theirs.
///
/// Texts are literals: what is put together here is put together at the start of each process.
enum OptionTable {
  static let lead = OptionSpecification(
    "lead", argument: "TIME", group: .time,
    help:
      "How long before the deadline to start saving (default: a quarter of the budget, 50ms to "
      + "5s)")
  static let stopGrace = OptionSpecification(
    "stop-grace", argument: "TIME", group: .time,
    help: "Time to save after SIGTERM or SIGHUP (default 5s; in a Slurm job, what Slurm allows)")
  static let tick = OptionSpecification(
    "tick", argument: "TIME", group: .time,
    help: "Time between progress reports, at least 50ms (default 0.5s)")
  static let untilDone = OptionSpecification(
    "until-done", group: .time, help: "Keep running, one budget after another, until finished")
  static let rest = OptionSpecification(
    "rest", argument: "TIME", group: .time,
    help: "Pause between two budgets of --until-done (default 1s)")

  static let waitLock = OptionSpecification(
    "wait-lock", argument: "TIME", group: .time, isArgumentOptional: true,
    help:
      "If another process works on the same job, wait up to TIME for it to end (default: until the "
      + "time limit), instead of exiting with 69")

  static let checkpointEvery = OptionSpecification(
    "checkpoint-every", argument: "TIME", group: .saving,
    help: "Time between two checkpoints (default: chosen by what they cost)")
  static let fresh = OptionSpecification(
    "fresh", group: .saving, help: "Start over and discard the job's checkpoints")
  static let keep = OptionSpecification(
    "keep", group: .saving, help: "Keep the checkpoints of the finished job")

  static let threads = OptionSpecification(
    "threads", argument: "COUNT", group: .work,
    help: "Threads to use (default: as many as this process may use)")
  static let isolated = OptionSpecification(
    "isolated", group: .work,
    help: "Work in a child process, so that a crash costs only the time since the last checkpoint")
  static let dryRun = OptionSpecification(
    "dry-run", group: .work,
    help: "Do nothing but estimate time, memory, disk and the smallest sufficient budget")

  static let output = OptionSpecification(
    "output", letter: "o", argument: "FILE", group: .output,
    help: "Write the result to this file (default: standard output)")
  static let force = OptionSpecification(
    "force", letter: "f", group: .output,
    help: "Overwrite the output file even if another program wrote it")
  static let unfinishedExitCode = OptionSpecification(
    "unfinished-exit-code", argument: "CODE", group: .output,
    help: "Exit status that means \"unfinished, run again\", 1 to 125 (default 75)")

  static let batchFresh = OptionSpecification(
    "fresh", group: .saving, help: "Start over, including finished lines")
  static let name = OptionSpecification(
    "name", argument: "NAME", group: .jobs,
    help: "What to call the job: it is found by this name, whatever its parameters are")
  static let keyEnvironment = OptionSpecification(
    "key-env", argument: "NAME", group: .jobs, isRepeatable: true,
    help:
      "Tell this job from others by the value of a variable of the environment, such as "
      + "SLURM_ARRAY_TASK_ID; may be given several times")
  static let shard = OptionSpecification(
    "shard", argument: "K/N", group: .work,
    help:
      "Do only part K of N, as a job of its own: lines go to the parts in turn, images by the names "
      + "of their results")

  static let json = OptionSpecification(
    "json", group: .display, help: "Print JSON for programs")
  static let quiet = OptionSpecification(
    "quiet", letter: "q", group: .display, help: "Do not print progress")
  static let events = OptionSpecification(
    "events", argument: "FILE", group: .display,
    help: "Append every event to FILE as a line of JSON")

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
  static let state = OptionSpecification(
    "state", argument: "STATE", group: .jobs, isRepeatable: true,
    help:
      "Only jobs in this state, such as running or failed; several with commas, or given again")
  static let kind = OptionSpecification(
    "kind", argument: "KIND", group: .jobs, isRepeatable: true,
    help: "Only jobs of this kind, such as exec or batch; several with commas, or given again")
  static let since = OptionSpecification(
    "since", argument: "TIME", group: .jobs,
    help: "Only jobs that run, or on which something happened within this time, such as 2h or 3d")
  /// By what a job is found, for verbs that begin one.
  static let ofJob = [name, keyEnvironment, jobsDirectory]
  static let now = OptionSpecification(
    "now", group: .jobs, help: "Stop immediately instead of after the next checkpoint")
  static let cleanDryRun = OptionSpecification(
    "dry-run", group: .jobs, help: "Only list what would be removed")
  static let all = OptionSpecification(
    "all", group: .jobs, help: "Also remove unfinished jobs; their work is lost")

  static let engine = OptionSpecification(
    "engine", argument: "NAME", group: .work,
    help:
      "Who runs it: slurm, or local for the queue of this machine (default: slurm where there is "
      + "sbatch)")
  static let submitJSON = OptionSpecification(
    "json", group: .display, help: "Print the number of what was submitted as JSON for programs")
  static let slurmTime = OptionSpecification(
    "time", argument: "TIME", group: .time,
    help:
      "Time limit of each slice, such as 1h, or as for sbatch: minutes, H:M:S, D-H (default: the "
      + "partition's, or none in the local queue)")
  static let links = OptionSpecification(
    "links", argument: "COUNT", group: .work,
    help: "The most slices before the chain ends unfinished (default 50)")
  static let shards = OptionSpecification(
    "shards", argument: "N", group: .work,
    help:
      "Cut a batch or a set of images into N parts, each a chain of its own: the list is copied "
      + "now, and its items go to the parts in turn")
  static let array = OptionSpecification(
    "array", argument: "FILE", group: .work,
    help:
      "Make a chain of each line of FILE: the words of the work, or --time, --links, --job-name and "
      + "--sbatch of its own, two hyphens and then these")
  static let atOnce = OptionSpecification(
    "at-once", argument: "N", group: .work,
    help: "With --array: how many chains the engine has at a time (default 20)")
  static let slurmName = OptionSpecification(
    "job-name", argument: "NAME", group: .jobs,
    help: "What Slurm calls the job (default: the name of the chain)")
  static let sbatch = OptionSpecification(
    "sbatch", argument: "WORDS", group: .work, isRepeatable: true,
    help:
      "More options for sbatch, such as \"--partition=long --account=lab\"; may be given several "
      + "times")
  static let setup = OptionSpecification(
    "setup", argument: "FILE", group: .work,
    help: "Run the lines of FILE, such as module load, in the script before the work")
  static let mail = OptionSpecification(
    "mail", argument: "WHO", group: .work,
    help: "Let Slurm send a mail when the chain has ended")
  static let follower = OptionSpecification(
    "then", argument: "WORDS", group: .work,
    help:
      "When all of the work is finished, run sbatch with these words, such as \"--time=10 plot.sh\", "
      + "or with --engine local, stint submit")
  static let followerOfFailure = OptionSpecification(
    "on-failure", argument: "WORDS", group: .work,
    help: "The same when the work ended unfinished, and nobody stopped it")
  static let followerAlways = OptionSpecification(
    "then-always", argument: "WORDS", group: .work,
    help: "The same when the work ended in either way, and nobody stopped it")
  static let again = OptionSpecification(
    "again", group: .work, help: "When all slices are used up, submit as many again")
  static let sliceExitCode = OptionSpecification(
    "slice-exit-code", argument: "CODE", group: .work,
    help:
      "Exit status for Slurm of a slice that saved its work and is followed by another (default 0)")
  static let submitDryRun = OptionSpecification(
    "dry-run", group: .work, help: "Only print the script and the command")

  static let nodes = OptionSpecification(
    "nodes", argument: "COUNT", group: .work,
    help:
      "With Slurm, try for up to a minute whether COUNT nodes see each other's locks in the jobs "
      + "directory; srun asks for an allocation")

  static let help = OptionSpecification(
    "help", letter: "h", group: .general, help: "Show this help")
  static let version = OptionSpecification(
    "version", letter: "V", group: .general, help: "Show the version")
}
