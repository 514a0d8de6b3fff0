/// The options that only `exec` has.
enum ExecOptionTable {
  static let signal = OptionSpecification(
    "signal", letter: "s", argument: "SIGNAL", group: .work,
    help: "Signal that asks the command to end, by name or number (default TERM)")
  static let killAfter = OptionSpecification(
    "kill-after", letter: "k", argument: "TIME", group: .work,
    help:
      "Send KILL this long after --signal; with --budget, send --signal this long before the "
      + "deadline")
  static let warnSignal = OptionSpecification(
    "warn-signal", argument: "SIGNAL", group: .work,
    help: "Send this signal first, at the lead; --signal follows halfway to the deadline")
  static let suspend = OptionSpecification(
    "suspend", group: .work,
    help: "Suspend the command at the deadline instead of ending it, and resume it after --rest")
  static let foreground = OptionSpecification(
    "foreground", letter: "f", group: .work,
    help: "Keep the command in stint's own process group; only the command itself gets signals")
  static let preserveStatus = OptionSpecification(
    "preserve-status", letter: "p", group: .output,
    help: "Exit with the command's own status even if time was up")
  static let verbose = OptionSpecification(
    "verbose", letter: "v", group: .display,
    help: "Say on standard error which signals are sent")
  static let signalTo = OptionSpecification(
    "signal-to", argument: "WHO", group: .work,
    help: "Whom the signals reach: leader, the command's own process, or group (default)")
  static let launcher = OptionSpecification(
    "launcher", argument: "KIND", group: .work,
    help:
      "What starts the ranks of a parallel program: none, srun or mpi (default: by the command's "
      + "name)")
  static let checkpointFile = OptionSpecification(
    "checkpoint-file", argument: "PATH", group: .saving,
    help:
      "File, folder or pattern in which the command saves its work; new content counts as a "
      + "checkpoint; makes the command a job, which stint list shows")
  static let doneFile = OptionSpecification(
    "done-file", argument: "FILE", group: .saving,
    help:
      "File that the command makes when its work is done; until then it is unfinished, even if it "
      + "exits with 0")
  static let resumable = OptionSpecification(
    "resumable", group: .saving,
    help: "The command saves by itself, so it is unfinished whenever its time ends")
  static let afterWarning = OptionSpecification(
    "after-warning", argument: "MEANING", group: .saving,
    help:
      "What exit status 0 means after a warning: finished or unfinished (default: unfinished with "
      + "a checkpoint file, a done file, --resumable, or progress below 100 %)")
  static let progressFile = OptionSpecification(
    "progress-file", argument: "FILE", group: .saving,
    help:
      "File that begins with the fraction done, such as 0.42 or 42 %; makes the command a job, "
      + "which stint list shows")
  static let stallAfter = OptionSpecification(
    "stall-after", argument: "TIME", group: .saving,
    help: "Stop and restart the command when progress and checkpoint stand still for this long")
  static let maximumStints = OptionSpecification(
    "max-stints", argument: "COUNT", group: .saving,
    help:
      "Most stints of the job (default 1000 where no checkpoint or done file shows progress, else "
      + "no limit)")
  static let maximumRestarts = OptionSpecification(
    "max-restarts", argument: "COUNT", group: .saving,
    help: "Maximum consecutive restarts after a kill, crash or stall (default 3)")

  /// All that `exec` takes but help, for its own scanner too, which has no use for the rest of the
  /// verb.
  static let all =
    [signal, killAfter, warnSignal, signalTo, launcher, suspend, foreground] + OptionTable.ofTime
    + [
      checkpointFile, doneFile, resumable, afterWarning, progressFile, stallAfter,
      maximumStints, maximumRestarts, OptionTable.fresh, preserveStatus,
      OptionTable.unfinishedExitCode, verbose, OptionTable.quiet,
      OptionTable.events,
    ] + OptionTable.ofJob
}

extension VerbSpecification {
  static let exec = VerbSpecification(
    ExecProgram.verb, summary: "Run any command with a time limit; also a replacement for timeout",
    usage: ["exec [OPTIONS] DURATION COMMAND [ARG]...", "exec [OPTIONS] -- COMMAND [ARG]..."],
    operands: .command,
    options: ExecOptionTable.all,
    examples: [
      .init(
        command: "stint exec -k 5 30s ./simulate",
        meaning: "as with timeout: SIGTERM after thirty seconds, SIGKILL five seconds later"),
      .init(
        command: "stint exec --budget 10m --until-done --checkpoint-file s.npz -- python3 train.py",
        meaning: "runs ten minutes at a time until it exits with 0"),
      .init(
        command: "stint exec --budget 30s --rest 10s --suspend -- make -j8",
        meaning: "thirty seconds of work, then ten of rest, again and again"),
    ],
    exitStatuses: [
      .init(status: "n", meaning: "the command's own status, if it ended in time"),
      .init(status: "75", meaning: "unfinished; run again to continue"),
      .init(status: "124", meaning: "time was up, and the command ended when asked"),
      .init(status: "125", meaning: "the command line is wrong, or stint itself failed"),
      .init(status: "126", meaning: "the command was found but cannot be run"),
      .init(status: "127", meaning: "the command was not found"),
      .init(status: "137", meaning: "time was up, and the command had to be killed"),
      .init(
        status: "69",
        meaning:
          "the job is in use, saved nothing new in three runs, or has no stints or restarts left"),
      .signal,
    ])
}
