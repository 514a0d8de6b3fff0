import CStint
import Glibc
import StintCore
import StintRuntime

/// One process's run of a job: its trips, its signals, its messages, its end.
///
/// The life is that of DESIGN, "Life of a CLI run": with a budget the process enters the background at once, the trip's
/// clock having started with `main`; at the end of a stint it exits with 75, or rests and comes back. Without a budget it stays active.
final class RunSession: SystemObserver {
  struct State {
    var worker: (any RunnableWorker)?
    var trip: (start: Instant, grant: Duration?)?
    var firstSignal: (number: Int32, at: Instant)?
    /// A SIGTSTP asked to stop; the process stops when it is suspended.
    var mustStop = false
    /// A SIGCONT came before the stop took place.
    var mustNotStop = false
    /// A pause file is there; suspended, the process waits until it is gone.
    var isPaused = false
    /// The suspension was followed up, and nothing runs until a rest ends or the process is continued.
    var isAtRest = false
    /// A stop of the terminal has been followed up, and the process is on its way back to its trip.
    var isComingBack = false
    /// Which wait counts, between two trips or for the end of a pause; a stop of the terminal ends the one that is under way.
    var rests = 0
    var hasEnded = false
    var lastNotice: String?
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
  /// Who says when a trip ends.
  let sources: BudgetSources
  /// The stints of the job before this process.
  let earlierStints: Int
  let state = Protected(State())
  /// What a signal sets in motion may block on a disk or a reader; the signals' thread itself must stay free for the next one.
  let stopping = SerialThread(name: "stint-stop")
  /// Looks for the pause file between two stints; a file server that does not answer must hold up nothing else.
  let looking = SerialThread(name: "stint-look")

  init(
    options: RunOptions, launchedAt: Instant, job: Job, driver: SystemDriver,
    remote: RemoteSystem? = nil, leavesStop: Bool = false,
    display: ProgressDisplay, events: EventLog?, output: ResultOutput
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
    sources = options.time.sources(launchedAt: launchedAt)
    teller = ProgressTeller(job)
    earlierStints = job.summary.stints
  }

  /// Launches the application, enters the background if there is a budget, and starts the worker.
  func begin(_ worker: any RunnableWorker) {
    let early = state.withLock { state in
      state.worker = worker
      return state.firstSignal?.number
    }
    driver.add(self)
    driver.launch(.foreground)
    driver.becomeActive()
    if let remote {
      worker.holdWhileLoading()
      follow(remote)
    } else if let (grant, _) = sources.grant(ofTripSince: launchedAt) {
      guard isWorthEntering(since: launchedAt, granting: grant) else { return timeIsUp() }
      // Loading happens on the worker's thread, before it can ask for its own task.
      worker.holdWhileLoading()
      enterTrip(since: launchedAt, granting: grant)
    }
    worker.start()
    obeyPauseFile()
    // A signal that came before there was a worker to stop: denied its task, it would wait for ever.
    if let early { worker.stop(reason: .signal(early)) }
  }

  // MARK: Trips

  /// Whether a trip has more left than the least for which a task is granted (A11).
  ///
  /// The background is not entered for less: the deadline would overtake what follows and kill a process that has nothing open.
  private func isWorthEntering(since start: Instant, granting grant: Duration) -> Bool {
    BootClock.now.advanced(by: driver.policy.leastWorthGranting) < start.advanced(by: grant)
  }

  private func enterTrip(since start: Instant, granting grant: Duration) {
    state.withLock { $0.trip = (start, grant) }
    driver.resignActive()
    driver.enterBackground(since: start, granting: grant)
  }

  func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended: suspended()
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .stateChanged, .resumed,
      .becameActive, .stopCompleted, .terminating:
      break
    }
  }

  private func suspended() {
    let (worker, mustStop, mustNotStop, isPaused) = state.withLock { state in
      defer {
        state.mustStop = false
        state.mustNotStop = false
      }
      state.isAtRest = true
      state.isComingBack = state.mustStop && !state.isPaused
      return (state.worker, state.mustStop, state.mustNotStop, state.isPaused)
    }
    // Its outcome is on its way and ends the process.
    if worker?.hasEnded ?? false { return }
    if mustStop, !mustNotStop { stopProcess() }
    if isPaused {
      awaitEndOfPause()
    } else if mustStop {
      comeBack()
      stopAgain()
    } else if options.time.untilDone, remote == nil {
      rest()
    } else {
      timeIsUp()
    }
  }

  /// Obeys a stop that was asked for while the process came back from the one before.
  private func stopAgain() {
    let isAsked = state.withLock { state in
      state.isComingBack = false
      return state.mustStop || state.isPaused
    }
    if isAsked { stopping.enqueue { self.saveAndSuspend() } }
  }

  private func rest() {
    if let report = statusReport() { show(report) }
    let number = state.withLock { state in
      state.rests += 1
      return state.rests
    }
    awaitEndOfRest(number, until: BootClock.now.advanced(by: options.time.rest))
  }

  /// Rests up to an instant, or until a stop file is there: no stint begins after a stop.
  private func awaitEndOfRest(_ number: Int, until end: Instant) {
    let next = min(end, BootClock.now.advanced(by: lookInterval))
    driver.environment.schedule(at: next) {
      guard self.isAwaited(number) else { return }
      self.looking.enqueue {
        guard self.isAwaited(number), !self.obeyStopFile() else { return }
        next < end ? self.awaitEndOfRest(number, until: end) : self.endRest(number)
      }
    }
  }

  /// Whether the wait of this number still counts; a stop that was requested meanwhile has ended the worker.
  func isAwaited(_ number: Int) -> Bool {
    state.withLock { $0.rests == number && $0.firstSignal == nil }
  }

  private func endRest(_ number: Int) {
    if obeyPauseFile() { return }
    guard isAwaited(number) else { return }
    let now = BootClock.now
    guard let (grant, _) = sources.grant(ofTripSince: now), grant > .zero else { return timeIsUp() }
    state.withLock { $0.isAtRest = false }
    guard driver.enterForeground(), driver.becomeActive() else { return }
    // A stop of the terminal may have paused it.
    state.withLock({ $0.worker })?.resume()
    enterTrip(since: now, granting: grant)
  }

  // MARK: The terminal's stop

  /// SIGTSTP: save, end the task, be suspended, and then stop.
  func terminalStops() {
    state.withLock { $0.mustStop = true }
    stopping.enqueue { self.saveAndSuspend() }
  }

  /// Goes to the background and lets the worker save, for a stop of the terminal or a pause file.
  func saveAndSuspend() {
    let (worker, isWanted, wasAtRest) = state.withLock { state in
      // Half back, it is neither suspended nor at work; whoever brings it back asks again.
      let isWanted = (state.mustStop || state.isPaused) && !state.isComingBack
      if isWanted { state.rests += 1 }
      return (state.worker, isWanted, state.isAtRest)
    }
    // A suspension that was on its way has taken the wish along, or the pause file was gone again before this thread came to it.
    guard isWanted else { return }
    if wasAtRest { return suspended() }
    // Not followed up yet: that is about to happen, on the thread that performs it, and stops.
    if driver.lifeState == .suspended { return }
    if driver.lifeState == .active {
      driver.resignActive()
      driver.enterBackground()
    }
    worker?.pause()
  }

  /// SIGCONT: means active only if a SIGTSTP put us in the background.
  func terminalContinues() {
    state.withLock { if $0.mustStop { $0.mustNotStop = true } }
  }

  private func stopProcess() {
    display.end()
    state.withLock { $0.worker }?.willBeStopped()
    let start = BootClock.now
    driver.environment.stopProcess()
    let stopped = start.duration(to: BootClock.now)
    state.withLock { $0.worker }?.wasStopped(for: stopped)
    // Suspended, everything is saved and no task is open: a deadline that has passed meanwhile costs nothing.
    if driver.lifeState == .suspended { return }
    driver.continued(afterStop: stopped)
  }

  /// Active again after a stop or a pause; the trip goes on if it had an end, with what is left of it.
  func comeBack() {
    let (worker, trip) = state.withLock { ($0.worker, $0.trip) }
    if let remote { return comeBack(to: remote, worker) }
    if let trip, let grant = trip.grant, !isWorthEntering(since: trip.start, granting: grant) {
      return options.time.untilDone ? rest() : timeIsUp()
    }
    state.withLock { $0.isAtRest = false }
    driver.enterForeground()
    driver.becomeActive()
    if let trip, let grant = trip.grant {
      driver.resignActive()
      driver.enterBackground(since: trip.start, granting: grant)
    }
    worker?.resume()
  }

  // MARK: Signals

  /// SIGTERM, SIGHUP and SIGINT: save within the stop grace; a second one, at least 200 ms later, stops at once (W11).
  func mustEnd(_ number: Int32) {
    let now = BootClock.now
    let (isFirst, isAtOnce, worker) = state.withLock { state in
      guard let first = state.firstSignal else {
        state.firstSignal = (number, now)
        return (true, false, state.worker)
      }
      return (false, first.at.duration(to: now) >= .milliseconds(200), nil)
    }
    if isAtOnce {
      // One more ends it even if the terminal takes nothing any more.
      for watched in SignalWatch.watched { SignalWatch.restoreDefault(watched) }
      display.end()
      SignalWatch.die(of: number)
    }
    guard isFirst else { return }
    limitLastWords(
      until: now.advanced(by: options.time.stopGrace), dyingOf: number == SIGINT ? number : nil)
    stopping.enqueue {
      self.driver.requestStop(reason: .signal(number), grace: self.options.time.stopGrace)
      worker?.stop(reason: .signal(number))
    }
  }
}
