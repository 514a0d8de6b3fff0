import Glibc
import StintCore
import StintRuntime

/// The life of a process of Stint, whatever its work is.
///
/// It drives the run machine: the process begins, enters trips, rests between them, obeys signals,
/// the terminal and the files of `stint stop` and `stint pause`, and has a limited time for its
/// last words. What is done meanwhile is its workload's.
final class ProcessLife: Sendable {
  /// How a process lives.
  struct Rules: Sendable {
    /// The run machine's.
    var run: RunMachine.Rules
    /// A trip after a rest is begun only if it is longer than this.
    var leastTrip = Duration.zero
    /// What the process keeps of each trip for itself, after its work has ended.
    var reserve = Duration.zero
    /// The longest time between two looks for the files of a stop and a pause.
    var looksEvery: Duration
    /// How long the work may save after a signal.
    var stopGrace: @Sendable () -> Duration
    /// How much longer than its work the process may take to leave after a signal.
    var leavesAfter = Duration.zero
    /// Ends the process.
    var leave: @Sendable (SupervisorExit) -> Void
    /// Lets the kernel end the process at an instant, or never.
    var setHardStop: @Sendable (Instant?) -> Void = { LastMoment.set(exactly: $0) }
    /// A signal asks for an end before there is work.
    var stoppedWhileOpening: @Sendable (Int32) -> Void = { _ in }
  }

  private struct State {
    weak var workload: (any Workload)?
    /// The trip that was entered last; nil without one.
    var trip: RunMachine.Time?
    /// When the kernel ends the process, because of its trip and because of its last words.
    var (tripStop, wordsStop): (Instant?, Instant?)

    var hardStop: Instant? { [tripStop, wordsStop].compactMap(\.self).min() }
  }

  /// A process whose work is saved leaves so long before its supervisor kills it.
  private static let leavingMayTake = Duration.milliseconds(50)

  let rules: Rules
  let driver: SystemDriver
  /// The supervisor that grants the time; nil if this process is its own system.
  let remote: RemoteSystem?
  let sources: BudgetSources
  private let follower: BudgetFollower
  private let run: MachineDriver<RunMachine, RunMachine.Action>
  private let state = Protected(State())

  init(_ rules: Rules, driver: SystemDriver, remote: RemoteSystem? = nil, sources: BudgetSources) {
    self.rules = rules
    self.driver = driver
    self.remote = remote
    // Who is granted its time by another process has that one's word alone.
    self.sources = remote == nil ? sources : BudgetSources([])
    follower = BudgetFollower(self.sources)
    run = MachineDriver(RunMachine(rules: rules.run))
  }

  /// What the run machine knows now.
  var machine: RunMachine { run.withLock { $0 } }
  /// Whether nothing more is done but the last words.
  var hasEnded: Bool { machine.phase == .ended }
  /// Whether the process was in a trip.
  var hasTrip: Bool { state.withLock { $0.trip != nil } }
  /// When the kernel ends the process; nil for never.
  var hardStop: Instant? { state.withLock { $0.hardStop } }

  private var workload: (any Workload)? { state.withLock { $0.workload } }
  private var now: Instant { driver.environment.now }

  // MARK: The beginning

  /// Launches the application, which becomes active.
  func launch() {
    driver.launch(.foreground)
    driver.becomeActive()
  }

  /// Enters the first trip before there is work, because reading what to do counts.
  ///
  /// - Returns: False if its time is up already.
  func enterFirstTrip(since launchedAt: Instant) -> Bool {
    guard let time = nextTime(since: launchedAt) else { return true }
    if case .trip(_, let end?) = time,
      end.instant <= now.advanced(by: driver.policy.leastWorthGranting)
    {
      return false
    }
    enter(time)
    return true
  }

  /// Begins the work: in the trip that was entered, or in one since the launch.
  func begin(_ workload: any Workload, launchedAt: Instant) {
    let entered = state.withLock { state in
      state.workload = workload
      return state.trip
    }
    driver.add(workload)
    let time = remote == nil ? entered ?? nextTime(since: launchedAt) ?? .unlimited : .authority
    handle { $0.begun(time, now: self.now) }
    obeyPauseFile()
  }

  /// The time of a trip that begins at an instant; nil if it never has an end.
  private func nextTime(since start: Instant) -> RunMachine.Time? {
    let end = sources.end(ofTripSince: start).map(kept)
    return end != nil || sources.mayChange ? .trip(start: start, end: end) : nil
  }

  /// An end without what the process keeps for itself.
  private func kept(_ end: Deadline) -> Deadline {
    Deadline(source: end.source, instant: end.instant.advanced(by: .zero - rules.reserve))
  }

  // MARK: The run machine

  /// Gives the run machine an event, and performs what it wants.
  func handle(_ event: (inout RunMachine) -> [RunMachine.Action]) {
    // The death by a second signal waits for nothing.
    run.handle(event, isUrgent: { if case .die = $0 { true } else { false } }, perform: perform)
  }

  /// What a signal means; on the signals' thread, which must stay free for the next one.
  func signalCame(_ number: Int32) {
    handle { machine in
      switch number {
      case SIGTSTP: machine.terminalStopCame()
      case SIGCONT: machine.terminalContinueCame()
      case let number where SignalWatch.warnings.contains(number): machine.warningCame(number)
      case _: machine.signalCame(number, now: self.now)
      }
    }
  }

  private func perform(_ action: RunMachine.Action) {
    guard let workload else { return performWithoutWork(action) }
    switch action {
    case .begin(let time): workload.lane.enqueue { self.begin(time, workload) }
    case .goOn(let time): workload.lane.enqueue { self.goOn(time, workload) }
    case .save: workload.savingLane.enqueue { workload.save() }
    case .stopProcess: workload.savingLane.enqueue { self.stopProcess(workload) }
    case .rest(let end, let wait):
      workload.lane.enqueue {
        self.setHardStop(nil)
        workload.rests()
        self.wait(wait, until: end)
      }
    case .pause(let wait):
      setHardStop(nil)
      workload.lane.enqueue { workload.isPaused(wasPaused: false) }
      self.wait(wait, until: nil)
    case .endAfterCheckpoint: workload.lane.enqueue { workload.endAfterCheckpoint() }
    case .requestStop(let number):
      limitWordsAfterStop(number)
      let grace = rules.stopGrace()
      workload.savingLane.enqueue { workload.end(bySignal: number, within: grace) }
    case .endWork(let reason): workload.savingLane.enqueue { workload.end(because: reason) }
    case .die(let number): workload.die(of: number)
    case .leave(let end): workload.lane.enqueue { workload.leave(end) }
    }
  }

  /// What is done before there is work: nothing has to be saved.
  private func performWithoutWork(_ action: RunMachine.Action) {
    switch action {
    case .requestStop(let number): rules.stoppedWhileOpening(number)
    case .stopProcess: driver.environment.stopProcess()
    case .die(let number): SignalWatch.die(of: number)
    case .begin, .goOn, .save, .rest, .pause, .endAfterCheckpoint, .endWork, .leave: break
    }
  }

  // MARK: Trips

  private func begin(_ time: RunMachine.Time, _ workload: any Workload) {
    workload.willEnterTrip()
    if let remote { follow(remote) }
    if state.withLock({ $0.trip }) == nil { enter(time) }
    followSources(of: time)
    workload.begin(time)
  }

  private func goOn(_ time: RunMachine.Time, _ workload: any Workload) {
    let isAnother = !rules.run.stopsWithWork || isAnother(time)
    if let remote {
      remote.link.rejoin()
    } else if isAnother {
      guard driver.enterForeground(), driver.becomeActive() else {
        return handle { $0.workEnded() }
      }
      workload.willEnterTrip()
      enter(time)
      followSources(of: time)
    }
    workload.goOn(inAnotherTrip: isAnother)
  }

  /// Whether this is a trip, and not the one that was entered last.
  private func isAnother(_ time: RunMachine.Time) -> Bool {
    guard case .trip(let start, _) = time else { return false }
    guard case .trip(let entered, _)? = state.withLock({ $0.trip }) else { return true }
    return start != entered
  }

  private func enter(_ time: RunMachine.Time) {
    guard case .trip(let start, let end) = time else { return }
    state.withLock { $0.trip = time }
    limitProcess(until: end)
    driver.resignActive()
    driver.enterBackground(since: start, until: end)
  }

  private func followSources(of time: RunMachine.Time) {
    guard case .trip(let start, let end) = time else { return }
    // The sources know nothing of what is kept.
    let told = end.map {
      Deadline(source: $0.source, instant: $0.instant.advanced(by: rules.reserve))
    }
    follower.tripBegan(at: start, end: told, of: self)
  }

  /// Everything is saved and nothing holds the application.
  ///
  /// - Parameter mayRest: Whether another trip would find something to do.
  func suspended(mayRest: Bool = true) {
    follower.tripEnded()
    handle { $0.suspended(mayRest: mayRest, now: self.now) }
  }

  // MARK: Waits

  /// Waits for the end of a rest, or of a pause; stops and pauses are looked for meanwhile.
  private func wait(_ wait: Int, until end: Instant?) {
    let look = now.advanced(by: rules.looksEvery)
    let next = end.map { min($0, look) } ?? look
    driver.environment.schedule(at: next) { [weak self] in
      guard let self, machine.isAwaited(wait) else { return }
      workload?.lookingLane.enqueue { self.look(wait, until: end) }
    }
  }

  private func look(_ wait: Int, until end: Instant?) {
    guard machine.isAwaited(wait), !obeyStopFile(), let workload else { return }
    guard let end else {
      guard workload.isPauseAsked else { return handle { $0.pauseEnded(now: self.now) } }
      workload.isPaused(wasPaused: true)
      return self.wait(wait, until: nil)
    }
    if now < end { return self.wait(wait, until: end) }
    obeyPauseFile()
    guard machine.isAwaited(wait), machine.phase == .resting else { return }
    var next = nextTime(since: now)
    if case .trip(_, let end?)? = next, now.duration(to: end.instant) <= rules.leastTrip {
      next = nil
    }
    handle { $0.restEnded(next, now: self.now) }
  }

  /// Lets the work end after its next checkpoint, at once if it rests, when somebody asks for a
  /// stop; on the looking lane.
  ///
  /// - Returns: Whether somebody does.
  @discardableResult
  func obeyStopFile() -> Bool {
    guard let workload, workload.isStopAsked else { return false }
    handle { $0.stopRequested() }
    return true
  }

  /// Pauses when somebody asks for it; on the looking lane.
  func obeyPauseFile() {
    guard let workload, workload.isPauseAsked else { return }
    handle { $0.pauseRequested() }
  }

  // MARK: The terminal's stop

  private func stopProcess(_ workload: any Workload) {
    guard workload.willStop() else { return handle { $0.terminalStopCame() } }
    // The kernel must not end a process that stands.
    setHardStop(nil)
    let start = now
    driver.environment.stopProcess()
    let stopped = start.duration(to: now)
    workload.wasStopped(for: stopped)
    // The trip goes on with what is left of it (A23). Suspended, everything is saved and no task is
    // open: a deadline that has passed meanwhile costs nothing.
    if driver.lifeState != .suspended { driver.continued(afterStop: stopped) }
    handle { $0.processContinued(now: self.now) }
  }

  // MARK: The supervisor

  /// Goes to the supervisor's state and obeys it from now on: `stint exec -- stint run ...`,
  /// `stint run --isolated`.
  private func follow(_ remote: RemoteSystem) {
    remote.link.listen { [weak self] event in self?.authorityDid(event, remote) }
    remote.begin(named: "stint run")
  }

  /// On the conversation's thread.
  private func authorityDid(_ event: RemoteLink.Event, _ remote: RemoteSystem) {
    switch event {
    case .stop(let reason, let deadline):
      limitLastWords(until: deadline)
      handle { $0.authorityStops(reason) }
    case .vanished(let why):
      workload?.say("The supervisor (process \(remote.owner)) has gone: \(why). Saving.")
      handle { $0.authorityVanished() }
    case .terminating(let cause):
      workload?.say("The supervisor ends this process: \(cause)")
    }
  }

  // MARK: The hard stop and the last words

  /// Lets the kernel end the process at an instant, whichever of its threads waits for a disk then;
  /// nil for never.
  func setHardStop(_ instant: Instant?) { changeHardStop { $0.tripStop = instant } }

  private func changeHardStop(_ change: (inout State) -> Void) {
    // Under the lock: two threads would else leave the timer where the slower one wanted it.
    state.withLock { state in
      change(&state)
      rules.setHardStop(state.hardStop)
    }
  }

  /// The same for the end of a trip, or of the one that is under way.
  func limitProcess(until end: Deadline?) {
    setHardStop(end.map { max($0.instant, now).advanced(by: timeAfterTrip) })
  }

  /// How long after its trip a process is ended: what it has kept for itself, or else the time to
  /// save, because it may wait for a disk.
  private var timeAfterTrip: Duration {
    rules.reserve > .zero ? rules.reserve : rules.stopGrace() + LastMoment.leavingMayTake
  }

  private func limitWordsAfterStop(_ number: Int32) {
    limitLastWords(
      until: now.advanced(by: rules.stopGrace() + rules.leavesAfter),
      dyingOf: number == SIGINT ? number : nil)
  }

  /// Ends the process at an instant if it still waits for somebody to read its messages, or for a
  /// disk.
  ///
  /// Everything is saved by then; a process that still saves is left to the hard stop.
  func limitLastWords(until instant: Instant, dyingOf number: Int32? = nil) {
    let last = instant.advanced(by: LastMoment.leavingMayTake)
    let isLeaving = hasEnded
    changeHardStop { state in
      // Another signal gives last words no more time.
      state.wordsStop = min(last, isLeaving ? state.wordsStop ?? last : last)
    }
    driver.environment.schedule(at: remote == nil ? instant : lastMoment(before: instant)) {
      [weak self] in
      guard let self, let exit = workload?.exitWithoutWords(dyingOf: number) else { return }
      rules.leave(exit)
    }
  }

  /// The time is up: the last words may take as long as saving might.
  func limitLastWords() {
    limitLastWords(until: now.advanced(by: rules.stopGrace()))
  }

  /// When a supervised process leaves at the latest, so that its exit status says that the work is
  /// saved.
  func lastMoment(before instant: Instant) -> Instant {
    let kill = min(instant, driver.tripEnd?.instant ?? instant)
    return kill.advanced(by: .zero - min(now.duration(to: kill) / 2, Self.leavingMayTake))
  }
}

extension ProcessLife: BudgetClient {
  func endMoved(
    to end: Deadline?, because reason: ExpiryReason, then moved: @escaping @Sendable () -> Void
  ) {
    let end = end.map(kept)
    guard let workload else { return moved() }
    workload.lane.enqueue { [self] in
      limitProcess(until: end)
      driver.moveDeadline(to: end, because: reason)
      handle { $0.deadlineMoved(to: end) }
      workload.tripEndMoved()
      moved()
    }
  }

  func recordMovedEnd(_ end: Deadline?) { workload?.recordMovedEnd(end.map(kept)) }
}
