import Foundation
import Glibc
import StintCore
import StintRuntime

@testable import StintCommands

/// A machine with a queue in virtual time: the store is real, in a temporary folder, and so are the
/// servers; the processes that they start do to the store what an attendant does.
///
/// Unchecked: everything happens on one thread.
final class QueueWorld: @unchecked Sendable {
  /// What one run of a request's work does.
  struct Run {
    var end = RequestStanding.End.finished
    var takes = Duration.seconds(1)
    var madeProgress = false
  }

  private struct Event {
    var time: Instant
    var number: Int
    var action: () -> Void
  }

  private struct Process {
    var lock: RequestLock
    var server: Server
    var end: Int
    var isTold = false
  }

  static let machine = "here"

  let fixture = VerbFixture()
  let store: QueueStore
  private(set) var now = Instant(nanoseconds: 0)
  /// What the wall clock says when the virtual one stands at zero.
  var wallAtZero = WallInstant(nanoseconds: 1_000_000_000_000_000_000)
  var conditions = MachineConditions()
  /// What the runs of each request do, one after another; those that are not named take a second.
  var scripts: [String: [Run]] = [:]
  /// What a run does, in place of the scripts.
  var perform: ((RequestLock, Server) -> Run)?
  /// When each request began.
  private(set) var begins: [String: [WallInstant]] = [:]
  /// The requests in the order in which they began.
  private(set) var order: [String] = []
  private(set) var mostAtOnce = 0
  private var processes: [String: Process] = [:]
  private var servers: [Server] = []
  private var events: [Event] = []
  private var number = 0

  init() { store = QueueStore(jobsPath: fixture.jobsPath) }

  /// A queue on another disk, of which nobody hears.
  init(on disk: any FileSystem, userID: UInt32) {
    store = QueueStore(jobsPath: "/jobs", fileSystem: disk, userID: userID)
  }

  var wall: WallInstant { wallAtZero.advanced(by: Instant(nanoseconds: 0).duration(to: now)) }

  var running: [String] { processes.keys.sorted() }

  func catalog() throws -> JobCatalog { try JobCatalog(jobsDirectory: fixture.jobsPath) }

  // MARK: Requests

  /// Submits a request; its number.
  @discardableResult
  func submit(_ runs: [Run] = [], _ change: (inout RequestTerms) -> Void = { _ in }) throws
    -> String
  {
    var terms = RequestTerms(
      launch: LaunchRecord(words: ["/bin/true"], directory: "/"), submitted: wall,
      machine: Self.machine)
    change(&terms)
    let id = try store.submit(terms).id
    if !runs.isEmpty { scripts[id] = runs }
    settle()
    return id
  }

  func standing(_ id: String) throws -> RequestStanding? { try store.read(id)?.standing }

  func set(_ marker: QueueStore.Marker, to isThere: Bool = true, for id: String) throws {
    try store.set(marker, to: isThere, for: id)
    settle()
  }

  // MARK: Servers

  /// Begins to serve the queue.
  ///
  /// - Parameters:
  ///   - places: How many run at once.
  ///   - isResident: Whether it stays.
  ///   - hears: Whether it is told of changes.
  ///   - budget: How long it may take; nil for as long as it likes.
  ///   - variables: The variables that are set.
  /// - Returns: Its process.
  /// - Throws: What keeps it from serving.
  @discardableResult
  func serve(
    _ places: Int = 1, isResident: Bool = true, hears: Bool = true, budget: Duration? = nil,
    variables: Set<String> = []
  ) throws -> Server {
    let host = Server(self, until: budget.map { now.advanced(by: $0) })
    host.server = QueueServer(
      store, try catalog(), machine: Self.machine, places: places, isResident: isResident,
      variables: variables, host: host)
    if hears { host.watch = try store.watch() }
    servers.append(host)
    lookAtAll(host)
    if let until = host.until {
      schedule(at: until) { [unowned host] in if !host.isGone { host.server?.look() } }
    }
    settle()
    return host
  }

  /// Whether another process serves the queue.
  func serves(besides server: Server) -> Bool {
    servers.contains { $0 !== server && !$0.isGone }
  }

  /// Serves until nothing is due any more; the status of the process.
  func wake(
    _ places: Int = 1, budget: Duration? = nil, within limit: Duration = .seconds(1_000_000)
  ) throws -> Int32? {
    let host = try serve(places, isResident: false, budget: budget)
    let end = now.advanced(by: limit)
    while host.left == nil, step(until: end) {}
    return host.left
  }

  private func lookAtAll(_ host: Server) {
    guard !host.isGone else { return }
    host.server?.lookAtAll()
    schedule(at: now.advanced(by: QueueServer.looksEvery)) { [unowned self, unowned host] in
      lookAtAll(host)
    }
  }

  /// Kills a server; its processes are told to end, as by their parent-death signal.
  func kill(_ host: Server) {
    host.isGone = true
    for (id, process) in processes where process.server === host { tell(id, .interrupted) }
    settle()
  }

  /// The machine goes down: everything is gone without a word.
  func goDown() {
    for server in servers { server.isGone = true }
    processes = [:]
    settle()
  }

  // MARK: Processes

  fileprivate func start(_ id: String, by host: Server) {
    schedule(at: now.advanced(by: .milliseconds(5))) { [unowned self] in begin(id, by: host) }
  }

  private func begin(_ id: String, by host: Server) {
    guard let lock = (try? store.take(id)) ?? nil, lock.request.standing.state == .waiting,
      !lock.isSet(.stop), !lock.isSet(.pause)
    else { return ended(id, by: host) }
    let wall = wall
    // What cannot be written down does not begin.
    guard (try? lock.update { $0.standing.workBegan(now: wall) }) != nil else {
      lock.giveBack()
      return ended(id, by: host)
    }
    lock.clear(.launch)
    begins[id, default: []].append(wall)
    order.append(id)
    let run = perform?(lock, host) ?? nextRun(of: id)
    let end = schedule(at: now.advanced(by: run.takes)) { [unowned self] in
      self.end(id, run.end, madeProgress: run.madeProgress)
    }
    processes[id] = Process(lock: lock, server: host, end: end)
    mostAtOnce = max(mostAtOnce, processes.count)
  }

  private func nextRun(of id: String) -> Run {
    guard let runs = scripts[id], let first = runs.first else { return Run() }
    scripts[id] = Array(runs.dropFirst())
    return first
  }

  private func end(_ id: String, _ end: RequestStanding.End, madeProgress: Bool = false) {
    guard let process = processes.removeValue(forKey: id) else { return }
    let (lock, wall) = (process.lock, wall)
    try? lock.update {
      $0.standing.workEnded(end, $0.terms, madeProgress: madeProgress, now: wall)
      if lock.isSet(.stop) { $0.standing.stopAsked(now: wall) }
    }
    lock.giveBack()
    ended(id, by: process.server)
  }

  private func ended(_ id: String, by host: Server) {
    if !host.isGone { host.server?.attendantEnded(id) }
  }

  /// Kills the process that runs a request.
  func killRun(_ id: String) {
    guard let process = processes.removeValue(forKey: id) else { return }
    cancel(process.end)
    process.lock.giveBack()
    ended(id, by: process.server)
    settle()
  }

  private func tell(_ id: String, _ end: RequestStanding.End) {
    guard let process = processes[id], !process.isTold else { return }
    processes[id]?.isTold = true
    cancel(process.end)
    schedule(at: now.advanced(by: .milliseconds(200))) { [unowned self] in self.end(id, end) }
  }

  // MARK: Time

  @discardableResult
  fileprivate func schedule(at time: Instant, _ action: @escaping () -> Void) -> Int {
    number += 1
    events.append(Event(time: max(time, now), number: number, action: action))
    return number
  }

  fileprivate func cancel(_ number: Int) { events.removeAll { $0.number == number } }

  /// Lets some time pass.
  func advance(by duration: Duration) {
    let end = now.advanced(by: duration)
    while step(until: end) {}
    now = end
  }

  /// Does what is next; false if nothing is until that time.
  private func step(until end: Instant) -> Bool {
    guard
      let index = events.indices.min(by: {
        (events[$0].time, events[$0].number) < (events[$1].time, events[$1].number)
      }), events[index].time <= end
    else { return false }
    let event = events.remove(at: index)
    now = event.time
    event.action()
    settle()
    return true
  }

  /// Delivers what is new.
  private func settle() {
    var isNew = true
    while isNew {
      isNew = false
      for server in servers where !server.isGone && server.watch >= 0 {
        let news = store.takeNews(from: server.watch)
        if news?.isEmpty == true { continue }
        isNew = true
        server.server?.hear(of: news)
      }
    }
    for (id, process) in processes {
      if process.lock.isSet(.stop) { tell(id, .stopped) }
      if process.lock.isSet(.pause) { tell(id, .interrupted) }
    }
  }

  // MARK: A server

  /// The process of a server.
  final class Server: QueueHost, @unchecked Sendable {
    private unowned let world: QueueWorld
    fileprivate(set) var server: QueueServer?
    fileprivate var watch: Int32 = -1
    fileprivate let until: Instant?
    fileprivate var isGone = false
    private var wakeUp: Int?
    private var isTold = false
    private(set) var left: Int32?
    private(set) var said: [String] = []
    /// How many processes cannot be started.
    var refusals = 0

    init(_ world: QueueWorld, until: Instant?) { (self.world, self.until) = (world, until) }

    deinit { if watch >= 0 { close(watch) } }

    var wallTime: WallInstant { world.wall }
    var conditions: MachineConditions { world.conditions }
    var isEnding: Bool {
      isTold || until.map { world.now.duration(to: $0) < .seconds(1) } ?? false
    }
    var othersServe: Bool { world.serves(besides: self) }
    /// How long it may go on.
    var timeLeft: Duration? { until.map { world.now.duration(to: $0) } }

    /// Tells it to end.
    func end() {
      isTold = true
      server?.look()
      world.settle()
    }

    func start(_ request: QueuedRequest) throws(StintError) {
      guard refusals == 0 else {
        refusals -= 1
        throw StintError(.unavailable, "no process can be made", errno: EAGAIN)
      }
      world.start(request.id, by: self)
    }

    func look(after duration: Duration) {
      if let wakeUp { world.cancel(wakeUp) }
      wakeUp = world.schedule(at: world.now.advanced(by: duration)) { [unowned self] in
        if !isGone { server?.look() }
      }
    }

    func say(_ sentence: String) { said.append(sentence) }

    func leave(_ status: Int32) {
      left = status
      isGone = true
    }
  }
}
