/// The options that only `exec` has.
enum ExecOptionTable {
  static let signal = OptionSpecification(
    "signal", letter: "s", argument: "SIGNAL", group: .work,
    help: "What asks the command to end, by name or number (default TERM)")
  static let killAfter = OptionSpecification(
    "kill-after", letter: "k", argument: "TIME", group: .work,
    help: "Kill it so long after that; in a budget the signal comes so long before its end")
  static let warnSignal = OptionSpecification(
    "warn-signal", argument: "SIGNAL", group: .work,
    help: "Send this at the lead, and what asks it to end halfway from there to the end")
  static let suspend = OptionSpecification(
    "suspend", group: .work,
    help: "Suspend it at the end of its budget instead, and go on after --rest")
  static let foreground = OptionSpecification(
    "foreground", letter: "f", group: .work,
    help: "Leave it in this process group; only its own process gets signals")
  static let preserveStatus = OptionSpecification(
    "preserve-status", letter: "p", group: .output,
    help: "Exit with the command's own status when time is up, too")
  static let verbose = OptionSpecification(
    "verbose", letter: "v", group: .display, help: "Say on standard error what is sent")
  static let checkpointFile = OptionSpecification(
    "checkpoint-file", argument: "FILE", group: .saving,
    help: "A file whose change counts as a checkpoint; makes the command a job")
  static let progressFile = OptionSpecification(
    "progress-file", argument: "FILE", group: .saving,
    help: "A file that begins with the share that is done, such as 0.42; makes it a job")
  static let maximumRestarts = OptionSpecification(
    "max-restarts", argument: "COUNT", group: .saving,
    help: "Start it again so often in a row after it was killed or crashed (default 3)")

  /// All that `exec` takes but help, for its own scanner too, which has no use for the rest of the verb.
  static let all = [
    signal, killAfter, warnSignal, suspend, foreground, OptionTable.budget, OptionTable.until,
    OptionTable.lead, OptionTable.stopGrace, OptionTable.tick, OptionTable.untilDone,
    OptionTable.rest, OptionTable.policy, checkpointFile, progressFile, maximumRestarts,
    OptionTable.fresh, preserveStatus, OptionTable.unfinishedExitCode, verbose, OptionTable.quiet,
    OptionTable.events, OptionTable.jobsDirectory,
  ]
}

extension VerbSpecification {
  /// `stint exec`.
  static let exec = VerbSpecification(
    ExecProgram.verb, summary: "Run any command under a budget, in place of timeout too",
    usage: ["exec [OPTIONS] DURATION COMMAND [ARG]...", "exec [OPTIONS] -- COMMAND [ARG]..."],
    operands: .command,
    options: ExecOptionTable.all,
    examples: [
      .init(
        command: "stint exec -k 5 30s ./simulate",
        meaning: "as timeout: SIGTERM after thirty seconds, SIGKILL five seconds later"),
      .init(
        command: "stint exec --budget 10m --until-done --checkpoint-file s.npz -- python3 train.py",
        meaning: "ten minutes at a time, until it exits with 0"),
      .init(
        command: "stint exec --budget 30s --rest 10s --suspend -- make -j8",
        meaning: "thirty seconds of work, ten of rest, in turn"),
    ],
    exitStatuses: [
      .init(status: "n", meaning: "the command's own, where time did not end it"),
      .init(status: "75", meaning: "it asked to be run again, or a job was stopped in time"),
      .init(status: "124", meaning: "time is up, and the command was asked to end"),
      .init(status: "125", meaning: "the command line is wrong, or nothing could be supervised"),
      .init(status: "126", meaning: "the command was found and cannot be run"),
      .init(status: "127", meaning: "the command was not found"),
      .init(status: "137", meaning: "time is up, and the command had to be killed"),
      .init(status: "69", meaning: "the job is in use, or three stints in a row saved nothing"),
      .signal,
    ])
}
