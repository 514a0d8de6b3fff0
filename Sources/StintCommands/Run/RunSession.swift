import Glibc
import StintCore
import StintRuntime

/// One process's run of a job: the workload that a worker does, and what is said of it.
///
/// With a budget the process enters the background at once; the trip's clock has started with
/// `main`. At the end of a stint it exits with 75, or rests and comes back. Without a budget it
/// stays active.
final class RunSession: Workload {
  private struct State {
    var worker: (any RunnableWorker)?
    var hasBegun = false
    var outcome: WorkerOutcome?
    var lastNotice: String?
    var recordedEnd: Deadline?
  }

  let options: RunOptions
  let launchedAt: Instant
  let job: Job
  let life: ProcessLife
  let display: ProgressDisplay
  let events: EventLog?
  let output: ResultOutput
  let teller: ProgressTeller
  /// Whether a stop that is not obeyed here is left to the next process of the same run.
  let leavesStop: Bool
  private let state = Protected(State())

  let lane: any Lane = CallersLane()
  let savingLane: any Lane
  let lookingLane: any Lane

  init(
    options: RunOptions, launchedAt: Instant, job: Job, life: ProcessLife, leavesStop: Bool = false,
    display: ProgressDisplay, events: EventLog?, output: ResultOutput,
    savingLane: any Lane = SerialThread(name: "stint-stop"),
    // A file server that does not answer must hold up nothing else.
    lookingLane: any Lane = SerialThread(name: "stint-look")
  ) {
    self.options = options
    self.launchedAt = launchedAt
    self.job = job
    self.life = life
    self.display = display
    self.events = events
    self.output = output
    self.leavesStop = leavesStop
    (self.savingLane, self.lookingLane) = (savingLane, lookingLane)
    teller = ProgressTeller(job)
  }

  /// Launches the application, enters the background if there is a budget, and starts the worker.
  func begin(_ worker: any RunnableWorker) {
    state.withLock { $0.worker = worker }
    life.launch()
    life.begin(self, launchedAt: launchedAt)
  }

  var driver: SystemDriver { life.driver }
  var worker: (any RunnableWorker)? { state.withLock { $0.worker } }
  var outcome: WorkerOutcome? { state.withLock { $0.outcome } }
  private var now: Instant { driver.environment.now }

  // MARK: The workload

  func willEnterTrip() {
    // Loading happens on the worker's thread, before it can ask for its own task.
    let hasBegun = state.withLock { exchange(&$0.hasBegun, with: true) }
    if !hasBegun, life.machine.time != .unlimited { worker?.holdWhileLoading() }
  }

  func begin(_ time: RunMachine.Time) { worker?.start() }

  // A stop of the terminal may have paused it.
  func goOn(inAnotherTrip isAnother: Bool) { worker?.resume() }

  /// Goes to the background and lets the worker save, for a stop of the terminal or a pause.
  func save() {
    // What follows a suspension is about to happen, on the thread that performs it.
    if driver.lifeState == .suspended { return }
    if driver.lifeState == .active {
      driver.resignActive()
      driver.enterBackground()
    }
    worker?.pause()
  }

  func rests() {
    if let report = statusReport() { show(report) }
  }

  func isPaused(wasPaused: Bool) {
    if !wasPaused { tell("Paused by stint pause; stint resume \(job.key) continues it.") }
    // `stint pause` waits until `progress.json` says that the job is paused; a state that was
    // written is not written again.
    guard let report = statusReport() else { return }
    if teller.lastTold != report.state { teller.tell(report) }
  }

  var isStopAsked: Bool { job.isSet(.stop) }
  // One that ends does not begin to wait.
  var isPauseAsked: Bool { job.isSet(.pause) && !(worker?.hasEnded ?? false) }

  func endAfterCheckpoint() { worker?.stopAfterNextCheckpoint(reason: .stopRequested) }

  func end(bySignal number: Int32, within grace: Duration) {
    driver.requestStop(reason: .signal(number), grace: grace)
    worker?.stop(reason: .signal(number))
  }

  func end(because reason: ExpiryReason) { worker?.stop(reason: reason) }

  func willStop() -> Bool {
    display.end()
    worker?.willBeStopped()
    return true
  }

  func wasStopped(for duration: Duration) { worker?.wasStopped(for: duration) }

  func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended:
      // Its outcome is on its way and ends the process.
      if worker?.hasEnded ?? false { return limitEnd() }
      life.suspended()
    case .deadlineMoved, .deadlineExtended:
      // The supervisor's word counts already; it must not wait here for a disk.
      guard life.remote != nil else { return }
      let end = driver.tripEnd
      let isNews = state.withLock { exchange(&$0.recordedEnd, with: end) != end }
      if isNews { savingLane.enqueue { self.recordMovedEnd(end) } }
    case .answered, .expired, .stateChanged, .resumed, .becameActive, .stopCompleted, .terminating,
      .memoryIsShort, .refreshStatusChanged, .terminated:
      break
    }
  }

  func recordMovedEnd(_ end: Deadline?) {
    job.record(.deadlineMoved(to: end), durably: true)
  }

  func die(of number: Int32) {
    // One more ends it even if the terminal takes nothing any more.
    SignalWatch.unblock(SignalWatch.watched)
    display.end()
    life.rules.leave(.signal(number))
  }

  // MARK: Reports

  /// A job shorter than this leaves no directory.
  private static let leastKept = Duration.seconds(1)

  /// On the reports' thread.
  func reported(_ report: StatusReport) {
    if report.elapsed >= Self.leastKept, !job.isMaterialized {
      do {
        try job.materialize()
      } catch {
        // The next checkpoint fails with the same error and decides.
        say(StintError(wrapping: error, while: "making the job's directory").typed)
      }
    }
    life.obeyStopFile()
    life.obeyPauseFile()
    events?.write(report)
    show(report)
    if let loss = job.loss { ended(.failed(loss)) }
  }

  /// What a worker is told, and whom it tells.
  var workerOptions: WorkerOptions {
    var told = WorkerOptions()
    told.taskName = "run"
    told.ownsTrip = true
    told.tick = options.time.tick
    told.threads = options.threadCount
    told.policy.checkpointEvery = options.time.checkpointEvery
    told.policy.worksWhileSaving = Processors.available() > 1
    // The process exits at the end of a stint; a chunk that cannot be cut dies with it.
    told.policy.waitsForGivenUpChunk = false
    told.onReport = { self.reported($0) }
    told.onNotice = { self.say($0.description) }
    told.finishRecord = { self.output.finishRecord(of: self.job, workTime: $0) }
    told.onEnd = { self.ended($0) }
    return told
  }

  /// What the worker says of itself now; nil before the state is loaded.
  func statusReport() -> StatusReport? { worker?.statusReport() }

  private func show(_ report: StatusReport) {
    // Between two trips the application is active for a moment; the next report has the new budget.
    if report.remaining == .unlimited, case .trip = life.machine.time { return }
    teller.tell(report)
    display.show(report, at: now)
  }

  /// Says a sentence, unless it was the last one too.
  func say(_ sentence: String) {
    let isNew = state.withLock { exchange(&$0.lastNotice, with: sentence) != sentence }
    if isNew { display.complain(sentence) }
  }

  func tell(_ sentence: String) {
    if options.display.quiet { return display.end() }
    say(sentence)
  }

  /// The worker has ended for good; on the reports' thread.
  func ended(_ outcome: WorkerOutcome) {
    state.withLock { $0.outcome = outcome }
    life.handle { $0.workEnded() }
  }
}
