import Glibc
import StintCore
import StintRuntime

extension OptionTable {
  static let places = OptionSpecification(
    "jobs", letter: "j", argument: "COUNT", group: .work,
    help: "How many requests run at once (default 1)")
}

extension Verb {
  private static let ofServing: [OptionSpecification] =
    [OptionTable.places] + BudgetChoice.fixed.options + BudgetChoice.until.options
    + [OptionTable.jobsDirectory]

  /// `stint wake`: begins what is due, and waits for it.
  static let wake = Verb(
    VerbSpecification(
      "wake", summary: "Begin the requests that are due, and wait for them",
      usage: ["wake [OPTIONS]"], operands: .none, options: ofServing,
      examples: [
        .init(
          command: "*/10 * * * * stint wake --budget 9m",
          meaning: "a line for cron, by which submitted work goes on in pieces of nine minutes")
      ],
      exitStatuses: [
        .init(status: "0", meaning: "nothing that is due is left"),
        .init(status: "75", meaning: "begun work is unfinished; wake again"),
        .usage, .unavailable, .io,
      ])
  ) { try serve($0, isResident: false) }

  /// `stint serve`: the same, and stays.
  static let serve = Verb(
    VerbSpecification(
      "serve", summary: "Begin requests whenever they are due, until told to end",
      usage: ["serve [OPTIONS]"], operands: .none, options: ofServing,
      exitStatuses: [
        .init(status: "0", meaning: "told to end, and nothing that was begun is unfinished"),
        .init(status: "75", meaning: "told to end, and begun work is unfinished; serve again"),
        .usage, .unavailable, .io,
      ])
  ) { try serve($0, isResident: true) }

  private static func serve(_ invocation: Invocation, isResident: Bool) throws {
    let context = try invocation.context()
    let start = invocation.launch.start
    var setup = QueueProcess.Setup(
      store: QueueStore(jobsPath: context.catalog.jobsPath), catalog: context.catalog,
      isResident: isResident,
      variables: Set(start.environment.keys), launchedAt: start.launchedAt)
    setup.places = try context.parsed.integer("jobs", in: 1...10_000) ?? 1
    let sources = BudgetSources(
      try [BudgetChoice.fixed, .until].compactMap { choice in
        guard case .steady(let source) = try choice.read(context.parsed, context.surroundings)
        else { return nil }
        return source
      })
    setup.until = [
      sources.end(ofTripSince: start.launchedAt)?.instant, start.offeredDeadline,
    ].compactMap { $0 }.min()
    try JobsPlace.checkCanBeWritten(setup.store.jobsPath)
    let process = try QueueProcess(setup, signals: SignalDescriptor(stepsAside: false))
    SignalWatch.leave(unfinished: try process.run())
  }
}
