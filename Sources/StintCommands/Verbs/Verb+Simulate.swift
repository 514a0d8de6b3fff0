import StintCore
import StintRuntime

extension Verb {
  /// `stint simulate WHAT JOB`: lets something happen to a request, for those who write programs.
  static let simulate = Verb(
    showing: VerbSpecification(
      "simulate", summary: "Let a request begin, expire, fetch or lose what it needs, for tests",
      usage: ["simulate launch|expire|fetch|requirement-lost JOB [IDENTIFIER]"],
      operands: .any("WHAT JOB [IDENTIFIER]"), options: [OptionTable.jobsDirectory],
      examples: [
        .init(
          command: "stint simulate fetch Reader",
          meaning: "lets the program Reader fetch, and launches it if it is not running")
      ],
      exitStatuses: [.done, .usage, .damaged, .unavailable, .io])
  ) { try SimulateCommand(context: $0).run() }
}

/// Puts a file into the folder of a request, which whoever works on it obeys, or whoever begins it
/// next (Q8).
struct SimulateCommand {
  private static let words: [String: QueueStore.Marker] = [
    "launch": .launch, "expire": .expire, "fetch": .fetch, "requirement-lost": .lose,
  ]

  let context: VerbContext

  func run() throws -> VerbResult {
    let operands = context.parsed.operands
    guard (2...3).contains(operands.count), let marker = Self.words[operands[0]] else {
      throw StintError(
        .usage,
        "Say launch, expire, fetch or requirement-lost, and then what for: a request by its "
          + "number or its name.")
    }
    let (name, identifier, store) = (operands[1], operands.dropFirst(2).first ?? "", context.queue)
    guard let request = try context.request(named: name), let entry = try store.entry(request.id)
    else { throw StintError(.usage, "There is no request \"\(name.prefix(60))\".") }
    if let reason = refusal(of: marker, identifier, entry) { throw StintError(.usage, reason) }
    try store.set(marker, to: true, with: identifier, for: entry.id)
    return VerbResult(output: sentence(marker, entry, isServed: store.isServed))
  }

  /// Why nothing would come of it; nil if something can.
  private func refusal(
    of marker: QueueStore.Marker, _ identifier: String, _ entry: QueueMachine.Entry
  ) -> String? {
    let isApplication = entry.request.terms.work == .application
    if entry.request.standing.isOver {
      return "Request \(entry.id) is over; stint resume \(entry.id) lets it begin again."
    }
    guard isApplication else {
      if marker == .fetch { return "Request \(entry.id) is no program's that could fetch." }
      if !identifier.isEmpty {
        return "Request \(entry.id) is no program's, so it has no \"\(identifier.prefix(60))\"."
      }
      return nil
    }
    if marker == .launch, !identifier.isEmpty,
      !entry.tasks.contains(where: { $0.identifier == identifier })
    {
      let known = entry.tasks.map { "\"\($0.identifier)\"" }.joined(separator: ", ")
      return "The program of \(entry.id) has no request \"\(identifier.prefix(60))\" that waits"
        + (known.isEmpty ? "." : "; it has \(known).")
    }
    return nil
  }

  private func sentence(
    _ marker: QueueStore.Marker, _ entry: QueueMachine.Entry, isServed: Bool
  ) -> String {
    if entry.isProgramRunning { return "The program of \(entry.id) is told.\n" }
    if entry.isLocked { return "The process that works on \(entry.id) is told.\n" }
    switch marker {
    case .launch, .fetch:
      return isServed
        ? "Request \(entry.id) begins.\n"
        : "Request \(entry.id) begins with stint wake or stint serve.\n"
    case _:
      return "Request \(entry.id) is not running; it is told as soon as it is.\n"
    }
  }
}
