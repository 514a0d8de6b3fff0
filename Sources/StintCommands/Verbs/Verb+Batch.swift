extension Verb {
  static let batch = Verb(
    VerbSpecification(
      "batch", summary: "Run many jobs, one per line of a file, under one time limit",
      usage: [
        "batch FILE [OPTIONS]", "batch - [OPTIONS]",
        "batch --template TEXT [OPTIONS] [FILE] [::: VALUE...]... [:::: FILE...]...",
      ], operands: .lists("FILE"),
      options: BatchOptionTable.work + [OptionTable.shard] + OptionTable.ofTime
        + [OptionTable.batchFresh] + BatchOptionTable.output
        + [OptionTable.unfinishedExitCode, OptionTable.json, OptionTable.quiet]
        + OptionTable.ofJob,
      examples: [
        .init(
          command: "stint batch jobs.txt --budget 30s",
          meaning: "runs all lines for thirty seconds; exits with 75 until every line is done"),
        .init(
          command: "printf 'fibonacci %d -o f%d\\n' 1000 1 2000 2 | stint batch - -j 2",
          meaning: "two lines from standard input at the same time"),
        .init(
          command: "stint batch --template 'convert {} {.}.png' --budget 1h ::: *.jpg",
          meaning: "a command for each file; what ran before is not run again"),
      ],
      exitStatuses: [
        .init(status: "0", meaning: "every line is finished"),
        .init(status: "1", meaning: "every line has ended, and some failed"),
        .unfinished, .usage, .unavailable, .cannotCreate, .io, .signal,
      ])
  ) { invocation in
    let launch = invocation.launch
    try BatchCommand(
      options: BatchOptions(invocation.parsed, in: launch.surroundings),
      surroundings: launch.surroundings, kinds: invocation.program.kinds,
      launchedAt: launch.start.launchedAt, signals: launch.start.signals
    ).run()
  }
}
