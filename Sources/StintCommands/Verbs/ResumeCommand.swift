import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let resume = Verb(
    VerbSpecification(
      "resume", summary: "Continue a paused or interrupted job",
      usage: ["resume JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.threads] + OptionTable.ofTime
        + [OptionTable.checkpointEvery, OptionTable.keep, OptionTable.unfinishedExitCode]
        + OptionTable.ofDisplay + [OptionTable.jobsDirectory],
      exitStatuses: ExitStatusHelp.ofRun)
  ) { invocation in
    switch try ResumeCommand(context: invocation.context()).next() {
    case .done(let result):
      SignalWatch.restoreDefaults()
      try result.end()
    case .again(let command):
      try command.become(invocation.launch)
    case .run(let record, let options):
      try invocation.program.kinds[record.kind].runner.resume(record, options, invocation.launch)
    }
  }
}

/// `stint resume JOB`: continues a process that is stopped or waits, or runs the job again from
/// what its directory says.
struct ResumeCommand {
  enum Step {
    /// A process goes on; this is all.
    case done(VerbResult)
    /// The job's own verb has to run it.
    case again(CommandAgain)
    /// The job has to be run by this process.
    case run(JobRecord, RunOptions)
  }

  let context: VerbContext

  /// Does what needs no computing.
  ///
  /// - Throws: ``StintError`` for a job that cannot go on.
  func next() throws -> Step {
    if let id = try context.plainRequest() { return .done(try resume(request: id)) }
    let named = try context.key()
    if let result = try release(named) { return .done(result) }
    if let chain = context.chain(of: named), chain.key == named,
      chain.record.state == .ended, chain.record.ending != .finished
    {
      throw StintError(
        .usage,
        "\(named) has ended; submit it again to go on in slices"
          + (chain.work.map { ", or run it here with stint resume \($0)." } ?? "."))
    }
    let key = try context.workKey(of: named)
    let view = context.view(of: key)
    guard !view.summary.isRunning else { return .done(try goOn(view)) }
    if let problem = view.summary.problem {
      let code: StintError.Code =
        switch view.state {
        case .foreign: .unavailable
        case .unreadable: .io
        case .running, .paused, .waiting, .finished, .failed, .damaged: .damaged
        }
      throw StintError(code, "\(key) cannot be continued: \(problem.typed).")
    }
    guard let record = view.summary.record else {
      throw StintError(.damaged, "\(key) has no job.json; run its original command again.")
    }
    try context.endPause(of: view)
    if let chain = context.chain(of: key), chain.record.state == .active {
      return .done(VerbResult(output: "The next slice of \(chain.key) continues \(key).\n"))
    }
    if !context.kinds[record.kind].runner.isResumed,
      let command = try CommandAgain(record, context)
    {
      return .again(command)
    }
    return .run(
      record, try RunOptions(resuming: record, context.parsed, in: context.surroundings))
  }

  /// Lets a request that is no chain's begin again.
  private func resume(request id: String) throws -> VerbResult {
    guard let request = try context.queue.resume(id) else {
      return VerbResult(output: "Request \(id) goes on.\n")
    }
    guard !request.standing.isOver else {
      return VerbResult(output: "Request \(id) is done.\n")
    }
    return VerbResult(output: "Request \(id) waits to begin again.\n")
  }

  /// Lets the slices of a chain, or of all chains of an array, begin that the engine holds; nil if
  /// it holds none.
  private func release(_ key: String) throws -> VerbResult? {
    let array = ChainArrayView(key, in: context, most: .max)
    let chains = array?.active.compactMap(\.chain) ?? [context.chain(of: key)].compactMap { $0 }
    let held = chains.filter { $0.standing()?.isHeld ?? false }
    for chain in held {
      guard let failure = chain.number().flatMap(chain.engine.release) else { continue }
      throw StintError(.unavailable, "\(chain.key) could not be released: \(failure).")
    }
    guard let first = held.first else { return nil }
    let queue = first.engine.titleOfQueue
    if let array {
      let chains = ReportText.count(held.count, "chain")
      return VerbResult(
        output: "\(array.key) goes on: the slices of \(chains) wait in \(queue) again.\n")
    }
    if let work = first.work { try context.endPause(of: context.view(of: work)) }
    return VerbResult(output: "\(first.key) goes on: its slices wait in \(queue) again.\n")
  }

  private func goOn(_ view: JobView) throws -> VerbResult {
    try refuseNewTerms(view)
    let isAsked = view.summary.markers.contains(.pause)
    // Before the process is continued, so that it finds nothing to obey.
    try context.endPause(of: view)
    if !view.isStopped, isAsked { return leftFile(view) }
    let process = try context.process(of: view)
    guard process.isStopped else {
      throw StintError(
        .busy,
        "Process \(process.pid) works on \(view.key) and is not paused; stint watch "
          + "\(view.key) follows it.")
    }
    try process.send(SIGCONT)
    switch process.wait(atMost: PauseCommand.patience, until: { !process.isStopped }) {
    case .met, .ended:
      return VerbResult(output: "Process \(process.pid) continues \(view.key).\n")
    case .timedOut:
      throw StintError(
        .unavailable,
        "Process \(process.pid) was continued and is stopped all the same; "
          + "something else stops it.")
    }
  }

  /// A process goes on as it was begun: nobody can give it another budget.
  private func refuseNewTerms(_ view: JobView) throws {
    let terms = Verb.resume.specification.options.filter { $0 != OptionTable.jobsDirectory }
    guard let option = terms.first(where: { context.parsed.gives($0) }) else { return }
    throw StintError(
      .usage,
      "A process works on \(view.key) and goes on as it was begun, so --\(option.name) would have no effect; "
        + "leave it out, or end the process with stint stop before.")
  }

  /// The pause file is gone, and its worker sees that within a second or two.
  private func leftFile(_ view: JobView) -> VerbResult {
    let who = view.summary.holder.map { " (\($0.text(seenBy: context.identity)))" } ?? ""
    return VerbResult(output: "The process that holds \(view.key)\(who) goes on.\n")
  }
}
