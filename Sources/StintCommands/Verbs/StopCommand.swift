import Glibc
import StintCore
import StintRuntime

extension Verb {
  static let stop = Verb(
    showing: VerbSpecification(
      "stop", summary: "Stop a running job after its next checkpoint",
      usage: ["stop JOB [OPTIONS]"], operands: .one("JOB"),
      options: [OptionTable.now, OptionTable.jobsDirectory],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .io])
  ) { try StopCommand(context: $0).run() }
}

/// `stint stop JOB`: asks the process that works on a job to save and end.
struct StopCommand {
  /// How long a process may take to save and end, beyond the usual stop grace.
  static let patience = Duration.seconds(10)

  let context: VerbContext

  func run() throws -> VerbResult {
    switch try context.target() {
    case .job(let key): return try stop(key)
    case .request(let id): return try stop(request: id)
    case .whole(let key):
      var result = VerbResult()
      for key in try context.whole(key).parts.compactMap(\.key) {
        let stopped = try stop(key)
        result.output += stopped.output
        result.messages += stopped.messages
      }
      return result
    }
  }

  private func stop(_ key: String) throws -> VerbResult {
    let view = context.view(of: key)
    try context.refuseUnreadable(view, to: "stopped")
    if let array = ChainArrayView(key, in: context, most: .max),
      array.record.state != .ended
    {
      return try stop(array)
    }
    if let chain = context.chain(of: key), chain.record.state != .ended {
      var result = try stop(chain)
      if let array = chain.record.chains, !context.catalog.summary(of: chain.key).isRunning {
        try settle(array, &result) { try $0.settle(chain.record.place ?? 0, .stopped) }
      }
      return result
    }
    guard view.summary.isRunning else {
      let how = view.state == .finished ? "is finished" : "is not running"
      return VerbResult(output: "Nothing to stop: \(key) \(how).\n")
    }
    try context.catalog.set(.stop, to: true, for: key)
    // The worker that waits for this file's end looks for the stop file first.
    try context.endPause(of: view)
    guard context.parsed.has("now") || view.isStopped else {
      let when = view.state == .paused ? "; it is saved" : " after its next checkpoint"
      return VerbResult(output: "\(key) stops\(when).\n")
    }
    let process = try context.process(of: view)
    try process.send(SIGTERM)
    // A stopped process has saved already, and takes the signal when it is continued.
    if view.isStopped { try process.send(SIGCONT) }
    switch process.wait(atMost: Self.patience, until: { false }) {
    case .ended, .met:
      let percent = ReportText.share(context.view(of: key).fraction ?? 0)
      return VerbResult(output: "Stopped \(key): \(percent) is done and saved.\n")
    case .timedOut:
      throw StintError(
        .unavailable,
        "Process \(process.pid) was told to stop \(key) and is still saving after "
          + "\(Self.patience.compactText); stint status \(key) shows when it has ended.")
    }
  }

  /// Stops a request that is no chain's.
  private func stop(request id: String) throws -> VerbResult {
    guard let request = try context.queue.read(id), !request.standing.isOver else {
      return VerbResult(output: "Nothing to stop: request \(id) is over.\n")
    }
    let isAtOnce = context.parsed.has("now")
    let isStopped = try context.queue.stop(id, atOnce: isAtOnce, now: .now)
    let told = isAtOnce ? "its work is ended" : "its work is told to save"
    return VerbResult(
      output: isStopped
        ? "Stopped request \(id): it does not begin any more.\n"
        : "Request \(id) stops: \(told), and does not begin again.\n")
  }

  /// Ends a chain: that is written down before the engine is told, so that no slice begins even
  /// if it cannot be told.
  private func stop(_ chain: ChainView) throws -> VerbResult {
    try context.catalog.set(.stop, to: true, for: chain.key)
    var result = VerbResult(messages: cancel([chain]))
    result.output =
      !conclude(chain)
      ? "\(chain.key) stops: the slice that is running saves, and no other one follows.\n"
      : "Stopped \(chain.key): no other slice follows.\n"
    return result
  }

  /// Takes the slices of chains that wait out of the engine's queue; says what went wrong.
  private func cancel(_ chains: [ChainView]) -> [String] {
    let arrays = chains.compactMap { $0.number() }
    // The chains of an array have one engine.
    guard let engine = chains.first?.engine, let failure = engine.cancelPending(arrays) else {
      return []
    }
    return [
      "\(engine.title) could not be told: \(failure). Slices that are still queued will do "
        + "nothing; \(engine.adviceOnCancelling(arrays))."
    ]
  }

  private func conclude(_ chain: ChainView) -> Bool {
    context.catalog.concludeChain(chain.key, why: "It was stopped.")
  }

  /// Ends an array of chains: none of its chains is handed over any more, and each that the engine
  /// has is stopped.
  private func stop(_ array: ChainArrayView) throws -> VerbResult {
    try context.catalog.set(.stop, to: true, for: array.key)
    var result = VerbResult()
    var running = 0
    let chains = array.active.compactMap(\.chain).filter { $0.record.state != .ended }
    for chain in chains { try context.catalog.set(.stop, to: true, for: chain.key) }
    // All at once: a controller that is gone answers none of several questions.
    result.messages += cancel(chains)
    for chain in chains where !conclude(chain) { running += 1 }
    try settle(array.key, &result) { held in
      for place in held.record.members?.active ?? [] {
        let key = try held.chain(at: place).key()
        if !context.catalog.summary(of: key).isRunning { try held.settle(place, .stopped) }
      }
    }
    result.output =
      running == 0
      ? "Stopped \(array.key): no other chain and no other slice follows.\n"
      : "\(array.key) stops: \(ReportText.count(running, "slice")) that run save, and nothing follows.\n"
    return result
  }

  /// Takes note in an array of what has ended, and does what follows.
  private func settle(
    _ array: String, _ result: inout VerbResult, _ body: (inout ChainArray) throws -> Void
  ) throws {
    var messages: [String] = []
    let submission = context.submission(to: context.engine(ofChain: array))
    var held = try ChainArray(array, in: context.catalog, submission) {
      messages.append($0)
    }
    try body(&held)
    if let refusal = try held.feed() { messages.append(refusal.message) }
    result.messages += messages
  }
}
