import Glibc
import StintCore
import StintRuntime

/// One process's run of a job: it drives the run machine, and says how the run goes and ends.
///
/// With a budget the process enters the background at once; the trip's clock has started with
/// `main`. At the end of a stint it exits with 75, or rests and comes back. Without a budget it
/// stays active.
final class RunSession: SystemObserver {
  struct State {
    var worker: (any RunnableWorker)?
    var outcome: WorkerOutcome?
    var lastNotice: String?
    var recordedEnd: Deadline?
  }

  let options: RunOptions
  let launchedAt: Instant
  let job: Job
  let driver: SystemDriver
  /// The supervisor that grants the time; nil if this process is its own system.
  let remote: RemoteSystem?
  let display: ProgressDisplay
  let events: EventLog?
  let output: ResultOutput
  let teller: ProgressTeller
  /// Whether a stop that is not obeyed here is left to the next process of the same run.
  let leavesStop: Bool
  /// Whether the kernel ends this process at its last moment; not in a process that plays a run.
  let hasLastMoment: Bool
  /// Who says when a trip ends.
  let sources: BudgetSources
  let follower: BudgetFollower
  let state = Protected(State())
  let life: RunLife
  /// What a signal sets in motion may block on a disk or a reader; the signals' thread itself must
  /// stay free for the next one.
  let stopping = SerialThread(name: "stint-stop")
  /// Looks for the pause file between two stints; a file server that does not answer must hold up
  /// nothing else.
  let looking = SerialThread(name: "stint-look")

  init(
    options: RunOptions, launchedAt: Instant, job: Job, driver: SystemDriver,
    remote: RemoteSystem? = nil, sources: BudgetSources, leavesStop: Bool = false,
    hasLastMoment: Bool = false, display: ProgressDisplay, events: EventLog?, output: ResultOutput
  ) {
    self.options = options
    self.launchedAt = launchedAt
    self.job = job
    self.driver = driver
    self.remote = remote
    self.display = display
    self.events = events
    self.output = output
    self.leavesStop = leavesStop
    self.hasLastMoment = hasLastMoment
    // Who is granted its time by another process has that one's word alone.
    self.sources = remote == nil ? sources : BudgetSources([])
    follower = BudgetFollower(self.sources)
    teller = ProgressTeller(job)
    life = RunLife(
      RunMachine.Rules(
        rest: options.time.untilDone ? options.time.rest : nil,
        leastTime: driver.policy.leastWorthGranting))
  }

  /// Launches the application, enters the background if there is a budget, and starts the worker.
  func begin(_ worker: any RunnableWorker) {
    state.withLock { $0.worker = worker }
    driver.add(self)
    driver.launch(.foreground)
    driver.becomeActive()
    let time = remote == nil ? nextTime(since: launchedAt) ?? .unlimited : .authority
    handle { $0.begun(time, now: BootClock.now) }
    obeyPauseFile()
  }

  var worker: (any RunnableWorker)? { state.withLock { $0.worker } }

  /// Gives the run machine an event, and performs what it wants.
  func handle(_ event: (inout RunMachine) -> [RunMachine.Action]) {
    life.handle(event) { perform($0) }
  }

  private func perform(_ action: RunMachine.Action) {
    switch action {
    case .begin(let time): begin(time)
    case .goOn(let time): goOn(time)
    case .save: stopping.enqueue { self.save() }
    case .stopProcess: stopping.enqueue { self.stopProcess() }
    case .rest(let end, let wait):
      setLastMoment(nil)
      if let report = statusReport() { show(report) }
      awaitEndOfRest(wait, until: end)
    case .pause(let wait):
      setLastMoment(nil)
      awaitEndOfPause(wait)
    case .endAfterCheckpoint: worker?.stopAfterNextCheckpoint(reason: .stopRequested)
    case .requestStop(let number): requestStop(number)
    case .endWork(let reason): stopping.enqueue { self.worker?.stop(reason: reason) }
    case .die(let number): die(of: number)
    case .leave(.timeIsUp): timeIsUp()
    case .leave(.workEnded):
      if let outcome = state.withLock({ $0.outcome }) { conclude(outcome) }
    }
  }

  // MARK: Trips

  /// The time of a trip that begins at an instant; nil if it never has an end.
  private func nextTime(since start: Instant) -> RunMachine.Time? {
    let end = sources.end(ofTripSince: start)
    return end != nil || sources.mayChange ? .trip(start: start, end: end) : nil
  }

  private func begin(_ time: RunMachine.Time) {
    // Loading happens on the worker's thread, before it can ask for its own task.
    if time != .unlimited { worker?.holdWhileLoading() }
    if let remote { follow(remote) }
    enterTrip(time)
    worker?.start()
  }

  private func enterTrip(_ time: RunMachine.Time) {
    guard case .trip(let start, let end) = time else { return }
    limitProcess(until: end)
    driver.resignActive()
    driver.enterBackground(since: start, until: end)
    follower.tripBegan(at: start, end: end, of: self)
  }

  private func goOn(_ time: RunMachine.Time) {
    if let remote {
      remote.link.rejoin()
    } else {
      driver.enterForeground()
      driver.becomeActive()
      enterTrip(time)
    }
    // A stop of the terminal may have paused it.
    worker?.resume()
  }

  func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended:
      follower.tripEnded()
      // Its outcome is on its way and ends the process.
      if worker?.hasEnded ?? false { return limitEnd() }
      handle { $0.suspended(now: BootClock.now) }
    case .deadlineMoved, .deadlineExtended:
      // The supervisor's word counts already; it must not wait here for a disk.
      guard remote != nil else { return }
      let end = driver.tripEnd
      let isNews = state.withLock { state in
        defer { state.recordedEnd = end }
        return state.recordedEnd != end
      }
      if isNews { stopping.enqueue { self.recordMovedEnd(end) } }
    case .answered, .expired, .stateChanged, .resumed, .becameActive, .stopCompleted, .terminating,
      .memoryIsShort:
      break
    }
  }

  /// Rests up to an instant; stops and pauses are looked for meanwhile.
  private func awaitEndOfRest(_ wait: Int, until end: Instant) {
    let next = min(end, BootClock.now.advanced(by: lookInterval))
    driver.environment.schedule(at: next) {
      guard self.life.machine.isAwaited(wait) else { return }
      self.looking.enqueue {
        guard self.life.machine.isAwaited(wait), !self.obeyStopFile() else { return }
        next < end ? self.awaitEndOfRest(wait, until: end) : self.endRest(wait)
      }
    }
  }

  private func endRest(_ wait: Int) {
    obeyPauseFile()
    guard life.machine.isAwaited(wait), life.machine.phase == .resting else { return }
    let now = BootClock.now
    var next = nextTime(since: now)
    if case .trip(_, let end?)? = next, end.instant <= now { next = nil }
    handle { $0.restEnded(next, now: now) }
  }

  // MARK: The terminal's stop

  /// Goes to the background and lets the worker save, for a stop of the terminal or a pause.
  private func save() {
    // What follows a suspension is about to happen, on the thread that performs it.
    if driver.lifeState == .suspended { return }
    if driver.lifeState == .active {
      driver.resignActive()
      driver.enterBackground()
    }
    worker?.pause()
  }

  private func stopProcess() {
    display.end()
    worker?.willBeStopped()
    // The kernel must not end a process that stands.
    setLastMoment(nil)
    let start = BootClock.now
    driver.environment.stopProcess()
    let stopped = start.duration(to: BootClock.now)
    worker?.wasStopped(for: stopped)
    // Suspended, everything is saved and no task is open: a deadline that has passed meanwhile
    // costs nothing.
    if driver.lifeState != .suspended { driver.continued(afterStop: stopped) }
    handle { $0.processContinued(now: BootClock.now) }
  }

  // MARK: Signals

  /// What a signal means for the run; on the signals' thread, which must stay free for the next
  /// one.
  func signalCame(_ number: Int32) {
    life.handle(signal: number) { perform($0) }
  }

  private func requestStop(_ number: Int32) {
    let grace = options.time.stopGrace(sources)
    limitLastWords(
      until: BootClock.now.advanced(by: grace), dyingOf: number == SIGINT ? number : nil)
    let worker = worker
    stopping.enqueue {
      self.driver.requestStop(reason: .signal(number), grace: grace)
      worker?.stop(reason: .signal(number))
    }
  }

  private func die(of number: Int32) {
    // One more ends it even if the terminal takes nothing any more.
    SignalWatch.unblock(SignalWatch.watched)
    display.end()
    SignalWatch.die(of: number)
  }
}

extension RunSession: BudgetClient {
  func endMoved(
    to end: Deadline?, because reason: ExpiryReason, then moved: @escaping @Sendable () -> Void
  ) {
    limitProcess(until: end)
    driver.moveDeadline(to: end, because: reason)
    handle { $0.deadlineMoved(to: end) }
    moved()
  }

  func recordMovedEnd(_ end: Deadline?) {
    job.record(.deadlineMoved(to: end), durably: true)
  }
}
