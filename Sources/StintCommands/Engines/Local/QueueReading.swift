import StintCore
import StintRuntime

/// The queue of this machine as somebody reads it who does not serve it: why each request waits.
struct QueueReading {
  let entries: [QueueMachine.Entry]
  /// Whether somebody serves the queue.
  let isServed: Bool
  private let machine: QueueMachine
  private let store: QueueStore
  private let now: WallInstant

  /// Reads all requests, but for those that cannot be read.
  init(_ store: QueueStore, now: WallInstant = .now) {
    self.store = store
    self.now = now
    isServed = store.isServed
    let catalog = try? JobCatalog(jobsDirectory: store.jobsPath)
    var entries = ((try? store.ids()) ?? []).compactMap { (try? store.entry($0)) ?? nil }
    for index in entries.indices {
      guard let job = entries[index].request.terms.afterJob, let catalog else { continue }
      entries[index].dependency = QueueDependency.state(of: job, store, catalog)
    }
    let running = entries.filter(\.isLocked).map(\.id)
    // How many may run only those know who serve: what is due and does not begin waits for those.
    var machine = QueueMachine(machine: MachineIdentity.current(), places: max(1, running.count))
    machine.running = Set(running)
    machine.entries = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    if machine.needsConditions { machine.conditions = .read() }
    self.entries = entries
    self.machine = machine
  }

  /// How a request stands, as a sentence.
  func sentence(of entry: QueueMachine.Entry) -> String {
    if let clause = clauseOfVariables(entry) { return "It waits: \(clause)." }
    return machine.sentence(
      of: machine.entries[entry.id] ?? entry, isServed: isServed, now: now)
  }

  /// What a request that nothing else holds waits for: only whoever serves knows its variables.
  private func clauseOfVariables(_ entry: QueueMachine.Entry) -> String? {
    let entry = machine.entries[entry.id] ?? entry
    guard entry.request.standing.state == .waiting, isServed,
      let name = entry.request.terms.launch.variables.first,
      machine.wait(of: entry, now: now) == nil
    else { return nil }
    return "it begins where $\(name) is set"
  }

  /// Why a request does not begin, as a clause.
  func clause(of entry: QueueMachine.Entry) -> String {
    if let wait = machine.wait(of: machine.entries[entry.id] ?? entry, now: now) {
      return wait.clause
    }
    guard isServed else { return "nobody serves the queue" }
    if let clause = clauseOfVariables(entry) { return clause }
    return machine.outlook(now: now).isCrowded
      ? QueueMachine.Wait.places(machine.places).clause : "it begins now"
  }
}
