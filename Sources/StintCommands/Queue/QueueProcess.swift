import CStint
import Glibc
import StintCore
import StintRuntime

/// The process that serves a queue: its loop, its signals, and the processes that it starts.
final class QueueProcess: QueueHost {
  /// How a queue is served.
  struct Setup: Sendable {
    var store: QueueStore
    var catalog: JobCatalog
    var places = 1
    var isResident: Bool
    /// When this process has to be gone; nil for never.
    var until: Instant?
    var variables: Set<String>
    /// When this process was started.
    var launchedAt: Instant
  }

  private struct State {
    var attendants: [Int32: String] = [:]
    var wake: EventLoop.Token?
    var isEnding = false
    var status = ExitStatus.finished
    var server: QueueServer?
    /// The lock that shows that the queue is served.
    var served: OpenFile?
    /// What tells of changes.
    var watch: Int32?
  }

  /// The least time that is worth beginning something in; of a short budget a quarter.
  private static let leastWorthBeginning = Duration.seconds(1)
  /// How often the program's path is looked at.
  private static let upgradeLooks = Duration.seconds(5)
  /// A signal that comes sooner belongs to the one before.
  private static let leastBetweenSignals = Duration.milliseconds(200)

  private let setup: Setup
  private let loop: EventLoop
  private let signals: SignalDescriptor
  private let upgrade: Protected<ServerUpgrade>
  private let state = Protected(State())
  private let lastSignal = Protected(Instant(nanoseconds: 0))

  init(_ setup: Setup, signals: SignalDescriptor) throws {
    self.setup = setup
    self.signals = signals
    loop = try EventLoop()
    upgrade = Protected(ServerUpgrade(of: try ProgramFile.own()))
  }

  /// Serves the queue; the status with which the process ends.
  func run() throws -> Int32 {
    let machine = MachineIdentity.current()
    let server = QueueServer(
      setup.store, setup.catalog, machine: machine, places: setup.places,
      isResident: setup.isResident,
      variables: setup.variables, host: self)
    let adopted = ServerUpgrade.takeAttendants()
    state.withLock { state in
      state.server = server
      state.attendants = adopted
    }
    server.adopt(Array(adopted.values))
    try openFolder(server)
    loop.watch(signals.descriptor) { [unowned self] in takeSignals() }
    loop.schedule(every: QueueServer.looksEvery, from: BootClock.now) { [unowned self] in
      if isFolderGone { reopenFolder(server) } else { server.lookAtAll() }
    }
    if setup.isResident {
      loop.schedule(every: Self.upgradeLooks, from: BootClock.now) { [unowned self] in
        upgradeIfReplaced()
      }
    }
    // Those that ended before this program began.
    loop.post { [unowned self] in reap() }
    if let until = setup.until {
      loop.schedule(at: until) { [unowned self] in end() }
    }
    loop.run()
    return state.withLock { $0.status }
  }

  // MARK: The folder of the requests

  /// Shows that the queue is served, and begins to hear of changes.
  private func openFolder(_ server: QueueServer) throws(StintError) {
    let served = try setup.store.beginServing()
    state.withLock { $0.served = served }
    let watch = try setup.store.watch()
    guard watch >= 0 else { return }
    state.withLock { $0.watch = watch }
    loop.watch(watch) { [unowned self] in server.hear(of: setup.store.takeNews(from: watch)) }
  }

  private var isFolderGone: Bool {
    state.withLock { $0.served }.map { !setup.store.isServing(by: $0) } ?? true
  }

  /// Somebody has taken the folder away, or has put another one in its place.
  private func reopenFolder(_ server: QueueServer) {
    let (served, watch) = state.withLock { ($0.served.take(), $0.watch.take()) }
    if let watch {
      loop.unwatch(watch)
      close(watch)
    }
    if let served { setup.store.endServing(served) }
    say("The requests in \(setup.store.path) were taken away or replaced.")
    do throws(StintError) {
      try openFolder(server)
    } catch {
      say(error.typed)
    }
    server.forgetAll()
  }

  // MARK: The host

  var wallTime: WallInstant { .now }

  var conditions: MachineConditions { .read() }

  var othersServe: Bool {
    state.withLock { $0.served }.map(setup.store.isServed(besides:)) ?? false
  }

  var isEnding: Bool {
    if state.withLock({ $0.isEnding }) { return true }
    guard let until = setup.until else { return false }
    let least = min(Self.leastWorthBeginning, setup.launchedAt.duration(to: until) / 4)
    return BootClock.now.duration(to: until) < least
  }

  /// Goes on as the request's own process in a child: a program that starts anew would take twice
  /// as long as a short command.
  func start(_ request: QueuedRequest) throws(StintError) {
    // Told to save when this process is gone.
    let process = stint_fork_child(SIGTERM)
    guard process >= 0 else {
      throw StintError(
        .unavailable, "no process can be made: \(String(cString: strerror(-process)))",
        errno: -process)
    }
    if process == 0 { Attendant.main(request.id, in: setup.store.jobsPath, until: setup.until) }
    state.withLock { $0.attendants[process] = request.id }
  }

  func look(after duration: Duration) {
    let token = loop.schedule(at: BootClock.now.advanced(by: duration)) { [unowned self] in
      state.withLock { $0.server }?.look()
    }
    if let old = state.withLock({ exchange(&$0.wake, with: token) }) { loop.cancel(old) }
  }

  func say(_ sentence: String) { complain(sentence) }

  func leave(_ status: Int32) {
    state.withLock { $0.status = status }
    loop.end()
  }

  // MARK: Signals

  private func takeSignals() {
    var childrenChanged = false
    while let arrival = signals.next() {
      switch arrival.number {
      case SIGCHLD: childrenChanged = true
      case SIGTERM, SIGINT, SIGHUP, SIGQUIT: askToEnd()
      case SIGTSTP: stop()
      case SIGCONT: pass(SIGCONT)
      case _: break
      }
    }
    if childrenChanged { reap() }
  }

  private func pass(_ number: Int32) {
    for process in state.withLock({ Array($0.attendants.keys) }) { kill(process, number) }
  }

  /// Stops with all that it runs, as Ctrl-Z asks.
  private func stop() {
    pass(SIGTSTP)
    kill(getpid(), SIGSTOP)
  }

  /// Becomes the program that has taken the place of this one's; what runs goes on.
  private func upgradeIfReplaced() {
    guard !isEnding, upgrade.withLock({ $0.isReplaced(now: BootClock.now) }) else { return }
    complain("The program was replaced; the new one goes on with the queue.")
    upgrade.withLock { $0 }.become(
      state.withLock { $0.attendants }, launchedAt: setup.launchedAt)
  }

  private func askToEnd() {
    let now = BootClock.now
    let isNew = lastSignal.withLock { last in
      defer { last = now }
      return last.duration(to: now) >= Self.leastBetweenSignals
    }
    guard isNew else { return }
    // A second signal ends at once what still saves.
    pass(SIGTERM)
    end()
  }

  private func end() {
    state.withLock { $0.isEnding = true }
    state.withLock { $0.server }?.look()
  }

  private func reap() {
    for (process, id) in state.withLock({ $0.attendants }) {
      var event = stint_child_event()
      guard stint_child_peek(process, &event) == 0, event.what != STINT_CHILD_NOTHING else {
        continue
      }
      stint_child_reap(process)
      state.withLock { _ = $0.attendants.removeValue(forKey: process) }
      state.withLock { $0.server }?.attendantEnded(id)
    }
  }
}
