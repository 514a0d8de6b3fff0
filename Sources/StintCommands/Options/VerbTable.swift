/// The verbs and their options.
package enum VerbTable {
  /// All verbs, in the order in which help lists them.
  package static let all = [
    run, exec, batch, list, status, watch, pause, resume, stop, verify, report, clean, doctor,
    help, version,
  ]

  /// The verb of a name, or nil.
  package static func verb(_ name: String) -> VerbSpecification? {
    all.first { $0.name == name }
  }

  static let time = [
    OptionTable.budget, OptionTable.until, OptionTable.lead, OptionTable.stopGrace,
    OptionTable.tick, OptionTable.untilDone, OptionTable.rest, OptionTable.policy,
  ]
  static let display = [OptionTable.json, OptionTable.quiet, OptionTable.events]
  static let runStatuses: [ExitStatusHelp] = [
    .finished, .unfinished, .usage, .damaged, .unavailable, .checkFailed, .cannotCreate, .io,
    .signal,
  ]

  static let run = VerbSpecification(
    "run", summary: "Compute something; run again, it goes on where it stopped",
    usage: [
      "run fibonacci N [OPTIONS]", "run fibonacci --sequence FROM..TO [OPTIONS]",
      "run image IN OUT [OPTIONS], which stint run image --help explains",
    ],
    operands: .own,
    options: [
      OptionTable.sequence, OptionTable.threads, OptionTable.isolated, OptionTable.dryRun,
    ] + time
      + [OptionTable.checkpointEvery, OptionTable.fresh, OptionTable.keep]
      + [
        OptionTable.output, OptionTable.force, OptionTable.format, OptionTable.unfinishedExitCode,
      ]
      + display + [OptionTable.jobsDirectory],
    examples: [
      .init(command: "stint run fibonacci 1000", meaning: "F(1000) on standard output"),
      .init(
        command: "stint run fibonacci 100000000 --budget 10s --output f.txt",
        meaning: "ten seconds of it; exits with 75 until the file is there"),
      .init(
        command: "stint run fibonacci 100000000 --budget 10s --until-done -o f.txt",
        meaning: "the same, stint after stint in one process"),
    ],
    exitStatuses: runStatuses)

  static let batch = VerbSpecification(
    "batch", summary: "Run many jobs, one a line of a file, in one budget",
    usage: ["batch FILE [OPTIONS]", "batch - [OPTIONS]"], operands: .one("FILE"),
    options: [OptionTable.places, OptionTable.lineThreads] + time
      + [OptionTable.batchFresh, OptionTable.batchName, OptionTable.jobLog]
      + [OptionTable.unfinishedExitCode, OptionTable.json, OptionTable.quiet]
      + [OptionTable.jobsDirectory],
    examples: [
      .init(
        command: "stint batch jobs.txt --budget 30s",
        meaning: "thirty seconds of all that stands there; exits with 75 until all is done"),
      .init(
        command: "printf 'fibonacci %d -o f%d\\n' 1000 1 2000 2 | stint batch - -j 2",
        meaning: "two lines from standard input, side by side"),
    ],
    exitStatuses: [
      .init(status: "0", meaning: "every line is finished"),
      .init(status: "1", meaning: "every line has ended, and some have failed"),
      .unfinished, .usage, .unavailable, .cannotCreate, .io, .signal,
    ])

  static let list = VerbSpecification(
    "list", summary: "Show all jobs", usage: ["list [OPTIONS]"], operands: .none,
    options: [OptionTable.json, OptionTable.jobsDirectory], exitStatuses: [.done, .usage, .io])

  static let status = VerbSpecification(
    "status", summary: "Show one job: progress, checkpoints, how its stints ended",
    usage: ["status JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.json, OptionTable.jobsDirectory],
    exitStatuses: [.done, .usage, .damaged, .unavailable, .io])

  static let watch = VerbSpecification(
    "watch", summary: "Follow a running job until it ends",
    usage: ["watch JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.tick, OptionTable.json, OptionTable.jobsDirectory],
    exitStatuses: [.done, .usage, .unavailable, .io])

  static let pause = VerbSpecification(
    "pause", summary: "Save a running job and let its process wait",
    usage: ["pause JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.jobsDirectory],
    exitStatuses: [.done, .usage, .damaged, .unavailable, .io])

  package static let resume = VerbSpecification(
    "resume", summary: "Go on with a paused or interrupted job",
    usage: ["resume JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.threads] + time + [OptionTable.checkpointEvery, OptionTable.keep]
      + [OptionTable.unfinishedExitCode] + display + [OptionTable.jobsDirectory],
    exitStatuses: runStatuses)

  static let stop = VerbSpecification(
    "stop", summary: "Stop a running job after its next checkpoint",
    usage: ["stop JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.now, OptionTable.jobsDirectory],
    exitStatuses: [.done, .usage, .damaged, .unavailable, .io])

  static let verify = VerbSpecification(
    "verify", summary: "Check a job's files: every checkpoint, the journal, the result",
    usage: ["verify JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.json, OptionTable.jobsDirectory],
    exitStatuses: [.done, .usage, .damaged, .unavailable, .io])

  static let report = VerbSpecification(
    "report", summary: "Tell a job's whole life: what was saved, at what cost, and what was lost",
    usage: ["report JOB [OPTIONS]"], operands: .one("JOB"),
    options: [OptionTable.html, OptionTable.trace, OptionTable.json, OptionTable.jobsDirectory],
    examples: [
      .init(
        command: "stint report JOB --html report.html",
        meaning: "one page with plots, for any browser; it needs nothing else"),
      .init(
        command: "stint report JOB --trace trace.json",
        meaning: "every stint and checkpoint, for ui.perfetto.dev"),
    ],
    exitStatuses: [.done, .usage, .damaged, .unavailable, .cannotCreate, .io])

  static let clean = VerbSpecification(
    "clean", summary: "Remove the directories of finished jobs",
    usage: ["clean [JOB...] [OPTIONS]"], operands: .any("JOB"),
    options: [
      OptionTable.all, OptionTable.cleanDryRun, OptionTable.json, OptionTable.jobsDirectory,
    ],
    exitStatuses: [.done, .usage, .unavailable, .io])

  static let doctor = VerbSpecification(
    "doctor", summary: "Say what would work here: versions, limits, clocks, file system",
    usage: ["doctor [OPTIONS]"], operands: .none,
    options: [OptionTable.json, OptionTable.jobsDirectory],
    exitStatuses: [.done, .usage, .unavailable])

  static let help = VerbSpecification(
    "help", summary: "Explain a verb", usage: ["help [VERB]"], operands: .any("VERB"), options: [])

  static let version = VerbSpecification(
    "version", summary: "Show the version", usage: ["version [OPTIONS]"], operands: .none,
    options: [OptionTable.json])
}
