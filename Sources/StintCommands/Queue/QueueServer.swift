import StintCore
import StintRuntime

/// What serves a queue asks of the process, or the virtual world, in which it does so.
protocol QueueHost: AnyObject, Sendable {
  /// The wall clock, by which requests begin (Q3).
  var wallTime: WallInstant { get }
  /// What the machine offers.
  var conditions: MachineConditions { get }
  /// Whether the time of whoever serves the queue is over, or it was told to end.
  var isEnding: Bool { get }
  /// Whether another process serves the queue, too.
  var othersServe: Bool { get }

  /// Starts the process that runs a request; the server hears of its end by
  /// ``QueueServer/attendantEnded(_:)``.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  func start(_ request: QueuedRequest) throws(StintError)
  /// Calls ``QueueServer/look()`` after a while, in place of an earlier call that was asked for.
  func look(after duration: Duration)
  /// Says a sentence.
  func say(_ sentence: String)
  /// Nothing is left to be done.
  func leave(_ status: Int32)
}

/// Serves the queue of a machine: begins what is due, so many at once, until nothing is due any
/// more or for ever (Q6).
///
/// Everything that counts is in the store, where any number of servers find it: who runs a request
/// holds its lock. All functions are called on one thread.
final class QueueServer: Sendable {
  private struct State {
    var machine: QueueMachine
    /// What this server has begun and is not over, by how the process stands.
    var begun: Set<String> = []
    var hasLeft = false
    /// Waits after a process that has not even begun its request.
    var failed: [String: RequestStanding.Retry] = [:]
    /// What is done, and does not change without news.
    var over: Set<String> = []
    /// Requests whose record cannot be read; each is told once.
    var unreadable: Set<String> = []
    /// Requests that lack a variable here; each is told once.
    var lacking: Set<String> = []
  }

  /// How often all requests are read again: a file server tells nobody of changes.
  static let looksEvery = Duration.seconds(30)
  /// How often the machine is looked at while something waits for what it offers.
  private static let asksEvery = Duration.seconds(5)

  /// How often what other processes run is looked at.
  private static let looksAtOthersEvery = Duration.seconds(1)

  private let store: QueueStore
  private let catalog: JobCatalog
  private let variables: Set<String>
  private let isResident: Bool
  private let state: Protected<State>
  private unowned let host: any QueueHost

  /// Creates the server of a store.
  ///
  /// - Parameters:
  ///   - store: The requests.
  ///   - catalog: The jobs that requests may wait for.
  ///   - machine: The machine whose requests are begun.
  ///   - places: How many run at once.
  ///   - isResident: Whether it goes on when nothing is due.
  ///   - variables: The names of the variables that are set.
  ///   - host: Who starts processes.
  init(
    _ store: QueueStore, _ catalog: JobCatalog, machine: String, places: Int, isResident: Bool,
    variables: Set<String>, host: any QueueHost
  ) {
    self.store = store
    self.isResident = isResident
    self.variables = variables
    self.host = host
    self.catalog = catalog
    state = Protected(State(machine: QueueMachine(machine: machine, places: places)))
  }

  /// Takes over what an earlier program of this process has begun.
  func adopt(_ ids: [String]) {
    state.withLock { state in
      state.machine.running.formUnion(ids)
      state.begun.formUnion(ids)
    }
  }

  // MARK: Events

  /// Reads all requests, and begins what is due.
  func lookAtAll() {
    do {
      let ids = try store.ids()
      let (known, over) = state.withLock { (Set($0.machine.entries.keys), $0.over) }
      for id in known.union(over).subtracting(ids) { forget(id) }
      for id in ids where !over.contains(id) { reread(id) }
    } catch {
      host.say("The requests cannot be read: \(error.typed)")
    }
    look()
  }

  /// Another folder is in the place of the requests, whose numbers mean others.
  func forgetAll() {
    state.withLock { state in
      (state.machine.entries, state.over, state.failed) = ([:], [], [:])
      (state.unreadable, state.lacking) = ([], [])
    }
    lookAtAll()
  }

  /// Reads the requests that have changed, and begins what is due.
  ///
  /// - Parameter ids: Which; nil for all.
  func hear(of ids: Set<String>?) {
    guard let ids else { return lookAtAll() }
    // Of what it runs itself, it hears at the end.
    let running = state.withLock { $0.machine.running }
    let others = ids.subtracting(running)
    if others.isEmpty { return }
    for id in others { reread(id) }
    look()
  }

  /// The process that ran a request has ended.
  func attendantEnded(_ id: String) {
    let before = state.withLock { state in
      state.machine.running.remove(id)
      return state.machine.entries[id]?.request
    }
    reread(id)
    let now = host.wallTime
    state.withLock { state in
      // Such as on a full disk, where the begin cannot be written down.
      let hasFailed = before != nil && state.machine.entries[id]?.request == before
      let retry = RequestStanding.Retry(since: now, wait: RequestStanding.firstWait)
      state.failed[id] = hasFailed ? retry : nil
      state.machine.entries[id]?.retry = state.failed[id]
    }
    look()
  }

  // MARK: Looking

  private func forget(_ id: String) {
    state.withLock { state in
      state.machine.entries[id] = nil
      state.begun.remove(id)
      state.over.remove(id)
      state.failed[id] = nil
    }
  }

  private func reread(_ id: String) {
    do throws(StintError) {
      guard var entry = try store.entry(id) else { return forget(id) }
      if entry.hasVanished, entry.request.terms.machine == state.withLock({ $0.machine.machine }),
        !state.withLock({ $0.machine.running.contains(id) })
      {
        settle(&entry) { $0.standing.workEnded(.vanished, $0.terms, now: self.host.wallTime) }
        // What was begun is gone on with by whoever finds it.
        state.withLock { _ = $0.begun.insert(id) }
      }
      if entry.isStopAsked, entry.request.standing.state == .waiting, !entry.isLocked {
        settle(&entry) { $0.standing.stopAsked(now: self.host.wallTime) }
      }
      if case .chain = entry.request.terms.work, entry.request.standing.state == .waiting,
        !entry.isLocked, store.isSet(.cancel, for: id)
      {
        try store.cancel(id)
        entry.request = try store.read(id) ?? entry.request
      }
      entry.retry = state.withLock { $0.failed[id] }
      entry.missingVariable = entry.request.terms.launch.variables.first {
        !variables.contains($0)
      }
      tellMissingVariable(of: entry)
      state.withLock { state in
        let isOver = entry.request.standing.isOver
        state.machine.entries[id] = isOver ? nil : entry
        state.unreadable.remove(id)
        if isOver { state.begun.remove(id) }
        // Whatever else is over may be resumed by somebody of whom no news come.
        let isDone = entry.request.standing.state == .done
        if isDone { state.over.insert(id) } else { state.over.remove(id) }
      }
    } catch {
      forget(id)
      if state.withLock({ $0.unreadable.insert(id).inserted }) {
        host.say("The request \(id) cannot be read: \(error.typed)")
      }
    }
  }

  /// Only whoever serves the queue knows which variables it has.
  private func tellMissingVariable(of entry: QueueMachine.Entry) {
    guard let name = entry.missingVariable, entry.request.standing.state == .waiting,
      state.withLock({ $0.lacking.insert(entry.id).inserted })
    else { return }
    host.say("The request \(entry.id) waits: \(QueueMachine.Wait.variable(name).clause)")
  }

  /// Reads again what other processes run, or have run.
  private func rereadLocked() {
    let locked = state.withLock { state in
      state.machine.entries.values.filter { $0.isLocked && !state.machine.running.contains($0.id) }
        .map(\.id)
    }
    for id in locked { reread(id) }
  }

  /// Changes the record of a request of which nobody runs anything.
  private func settle(
    _ entry: inout QueueMachine.Entry, _ change: (inout QueuedRequest) -> Void
  ) {
    do throws(StintError) {
      guard let lock = try store.take(entry.id) else { return }
      defer { lock.giveBack() }
      try lock.update(change)
      entry.request = lock.request
    } catch {
      // Such as on a full disk: it is tried at the next look at all.
      let retry = RequestStanding.Retry(since: host.wallTime, wait: RequestStanding.firstWait)
      let id = entry.id
      if state.withLock({ $0.failed.updateValue(retry, forKey: id) }) == nil {
        host.say("The request \(id) cannot be changed: \(error.typed)")
      }
    }
  }

  /// Begins what is due, and says when to look again.
  func look() {
    guard !state.withLock({ $0.hasLeft }) else { return }
    rereadLocked()
    if state.withLock({ $0.machine.needsConditions }) {
      let conditions = host.conditions
      state.withLock { $0.machine.conditions = conditions }
    }
    resolveDependencies()
    let now = host.wallTime
    if !host.isEnding {
      for id in state.withLock({ $0.machine.outlook(now: now).due }) { begin(id) }
    }
    let (count, outlook, asks) = state.withLock { state in
      (state.machine.running.count, state.machine.outlook(now: now), state.machine.needsConditions)
    }
    if count == 0, host.isEnding || !isResident && !hasSoonDue(now) {
      return leave(isLeft: outlook.isCrowded || !outlook.due.isEmpty)
    }
    var wait = outlook.next ?? Self.looksEvery
    if asks { wait = min(wait, Self.asksEvery) }
    // Nobody tells of the end of what a server that is gone has begun.
    if state.withLock({ $0.machine.entries.values.contains(where: \.isLocked) }) {
      wait = min(wait, Self.looksAtOthersEvery)
    }
    host.look(after: max(.milliseconds(1), min(wait, Self.looksEvery)))
  }

  /// Whether something goes on after a short rest, or after a longer one if this server has begun
  /// it; or a server that is gone has left something behind that is about to end.
  private func hasSoonDue(_ now: WallInstant) -> Bool {
    let machine = state.withLock { $0.machine }
    let isLeft = machine.entries.values.contains {
      $0.isLocked && $0.request.terms.machine == machine.machine && $0.pause == nil
    }
    if isLeft, !host.othersServe { return true }
    let begun = state.withLock { $0.begun }
    return machine.entries.values.contains { entry in
      guard entry.request.standing.state == .waiting, entry.pause == nil,
        let left = entry.request.standing.retry?.left(now)
      else { return false }
      return begun.contains(entry.id) || left <= RequestStanding.leastBetweenBegins
    }
  }

  private func leave(isLeft: Bool) {
    let isUnfinished = state.withLock { state in
      state.hasLeft = true
      // Whoever has begun it.
      return state.machine.entries.values.contains { entry in
        entry.request.standing.state == .waiting && entry.pause == nil && !entry.isLocked
          && (entry.request.standing.runs > 0 || entry.retry != nil)
          && entry.request.terms.machine == state.machine.machine
      }
    }
    // Who stays until told to end leaves what it never began to the next one.
    let mustGoOn = isUnfinished || isLeft && !isResident
    host.leave(mustGoOn ? ExitStatus.unfinished : ExitStatus.finished)
  }

  private func begin(_ id: String) {
    guard let entry = state.withLock({ $0.machine.entries[id] }) else { return }
    do throws(StintError) {
      try host.start(entry.request)
      state.withLock { state in
        state.machine.running.insert(id)
        state.begun.insert(id)
      }
    } catch {
      host.say("The request \(id) cannot be started: \(error.typed)")
      // No process can be made now; it is tried again.
      let retry = RequestStanding.Retry(since: host.wallTime, wait: RequestStanding.firstWait)
      state.withLock { state in
        state.failed[id] = retry
        state.machine.entries[id]?.retry = retry
      }
    }
  }

  // MARK: Dependencies

  private func resolveDependencies() {
    let waiting = state.withLock { state in
      state.machine.entries.values.compactMap { entry -> (id: String, job: String)? in
        guard entry.request.standing.state == .waiting else { return nil }
        return entry.request.terms.afterJob.map { (entry.id, $0) }
      }
    }
    for (id, job) in waiting {
      let dependency = QueueDependency.state(of: job, store, catalog)
      state.withLock { $0.machine.entries[id]?.dependency = dependency }
    }
  }
}
