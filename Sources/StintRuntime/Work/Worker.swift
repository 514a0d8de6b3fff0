import Dispatch
public import StintCore

/// Runs a chunked computation under a task assertion and loses nothing when the time ends.
///
/// The worker registers a task, runs chunks that fit the remaining time, makes checkpoints, ends
/// its task before the deadline, and registers again when the application becomes active (W1 to
/// W14). It computes on a thread of its own; checkpoints and reports have one each. All functions
/// may be called from any thread and return at once.
public final class Worker<Computation: ChunkedComputation>: Sendable {
  typealias Action = WorkerMachine.Action
  /// The computation as the worker runs it.
  typealias Work = ReadBack<Computation>

  /// An action with the state that it is about.
  struct Step: Sendable {
    var action: Action
    var state: Work.State
  }

  /// What the lock guards.
  struct Core {
    var machine: WorkerMachine?
    var state: Work.State?
    /// The restored generation, until the first chunk has proved it (C7).
    var unprovedSequence: UInt64?
    var restoredSequence: UInt64?
    var startedAt: Instant?
    /// Lets go of what holds the application while the job is loaded.
    var release: (@Sendable () -> Void)?
    /// When the process stood still.
    var stops = Stops()
    /// How long the machine had been suspended when that was last looked at.
    private var suspended: Duration?
    var stints = 0
    /// How it has ended for good; whoever waits hears of it after the last report.
    var end: WorkerOutcome?
    var outcome: WorkerOutcome?
    var waiters: [CheckedContinuation<WorkerOutcome, Never>] = []
    /// How many stints have come to an end that is not for good, and to whom the next one is told.
    var pauses = 0
    var toldPauses = 0
    var stintWaiters: [CheckedContinuation<StintResult, any Error>] = []
    /// The callers to tell, once the job is given back, that a stint is over.
    var pauseWaiters: [CheckedContinuation<StintResult, any Error>] = []
    /// Whether the first stint was asked for.
    var beginsStint = false
    var requests: [Request] = []
    /// Whether the application is in the background for this worker's stint alone.
    var ownsTrip = false
    /// What was handed to the lanes and may still use the store.
    var storeUses = 0
    /// Whether the worker, between two stints, has let go of the store and hears of nothing.
    var isResting = false
    /// The trip in which the last stint ended, while that trip lasts.
    var tripOfLastStint: Int?

    /// Whether nothing goes on, and nothing follows unless the program calls.
    var mayRest: Bool {
      guard storeUses == 0, !isResting else { return false }
      return ownsTrip && stintWaiters.isEmpty && machine?.phase.isBetweenStints == true
    }

    mutating func stoodStill(for length: Duration, at now: Instant) {
      stops.add(length, endedAt: now)
      machine?.stoodStill(for: length)
    }

    /// A machine that was suspended tells nobody; the clock that stood still with it does.
    mutating func heed(machineSuspended total: Duration, at now: Instant) {
      let length = total - (suspended ?? total)
      if suspended == nil || length >= Stops.shortest { suspended = total }
      if length >= Stops.shortest { stoodStill(for: length, at: now) }
    }

  }

  /// What was asked for before the state was loaded.
  enum Request: Sendable {
    case pause
    case stop(WorkerMachine.StopMode, ExpiryReason)
  }

  let work: Work
  let store: any WorkStore
  let host: any WorkerHost
  let options: WorkerOptions
  let core = MachineDriver<Core, Step>(Core())
  /// Where the worker begins and ends a rest, one after the other; both may wait for the disk.
  let turns = DispatchQueue(label: "stint.worker.rest")
  let stopFlag = StopFlag()
  let compute: any WorkerLane
  let saver: any WorkerLane
  let reporter: any WorkerLane
  let wakeTimer: any WorkerTimer
  let pauseTimer: any WorkerTimer
  let ticker: any WorkerTimer

  /// The reports, newest first kept: a slow reader misses reports and never delays the work.
  public let reports: AsyncStream<StatusReport>
  let reportContinuation: AsyncStream<StatusReport>.Continuation

  package init(
    _ computation: Computation, store: any WorkStore, host: any WorkerHost, options: WorkerOptions
  ) {
    work = ReadBack(computation)
    self.store = store
    self.host = host
    self.options = options
    compute = host.makeLane(named: "stint-compute", isPrompt: false)
    saver = host.makeLane(named: "stint-save", isPrompt: true)
    reporter = host.makeLane(named: "stint-report", isPrompt: true)
    wakeTimer = host.makeTimer()
    pauseTimer = host.makeTimer()
    ticker = host.makeTimer()
    (reports, reportContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Loads the newest checkpoint or makes the first state, registers, and runs.
  ///
  /// From here on the application is held until the task is asked for, so it may enter the
  /// background at once. A failure to load ends the worker with it; ``outcome()`` tells. A job that
  /// is finished already is not loaded, and its result not delivered again. A worker is started
  /// once.
  public func start() {
    if core.withLock({ $0.end != nil }) { return }
    holdWhileLoading()
    let isFirst = core.withLock { core in
      defer { core.startedAt = core.startedAt ?? host.now }
      return core.startedAt == nil
    }
    precondition(isFirst, "a worker is started once")
    host.attach(self)
    useStore(on: compute, .load) { _ in
      self.load()
      self.core.withLock { $0.release.take() }?()
      // Who is told finds no task but the worker's own.
      self.options.onLoaded?()
    }
  }

  /// Holds the application from now on until the job is loaded, for who enters the background
  /// before the start.
  package func holdWhileLoading() {
    if core.withLock({ $0.release != nil }) { return }
    let release = host.hold(named: "loading")
    core.withLock { $0.release = release }
  }

  /// Saves, ends the task and the ticks; ``resume()`` goes on (W7).
  public func pause() {
    request(.pause)
  }

  /// Goes on after a pause.
  ///
  /// If the job was run by another worker meanwhile, this one has failed with the code `busy`.
  public func resume() {
    withdrawPause()
    if endRest() { handle { $0.resumeRequested(at: $1) } }
  }

  /// Forgets a pause that was asked for before the state was loaded.
  func withdrawPause() {
    core.withLock { core in
      core.requests.removeAll { if case .pause = $0 { true } else { false } }
    }
  }

  /// Saves what is complete and ends the worker (W11).
  public func stop(reason: ExpiryReason = .stopRequested) {
    request(.stop(.now, reason))
  }

  /// Ends the worker when the running chunk is done and saved (W11).
  public func stopAfterNextCheckpoint(reason: ExpiryReason = .stopRequested) {
    request(.stop(.afterNextCheckpoint, reason))
  }

  /// Waits until the worker has ended for good.
  ///
  /// Cancelled while it waits, it stops the worker like ``stop(reason:)`` and returns when what is
  /// complete is saved.
  public func outcome() async -> WorkerOutcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = core.withLock { core in
          if core.outcome == nil { core.waiters.append(continuation) }
          return core.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      stopWhenCancelled()
    }
  }

  /// Where the worker stands.
  public var phase: WorkerPhase {
    core.withLock { core in core.machine?.phase ?? core.end.map { .ended($0) } ?? .idle }
  }

  /// Stops the worker; one that was never started has nothing to save.
  func stopWhenCancelled() {
    if core.withLock({ $0.startedAt == nil }) {
      ended(.stopped(.stopRequested))
    } else {
      stop()
    }
  }

  private func request(_ request: Request) {
    let isLoaded = core.withLock { core in
      if core.machine == nil, core.outcome == nil { core.requests.append(request) }
      return core.machine != nil
    }
    if isLoaded { deliver(request) }
  }

  func deliver(_ request: Request) {
    switch request {
    case .pause: handle { $0.pauseRequested(at: $1) }
    case .stop(let mode, let reason):
      handle { $0.stopRequested(mode, reason: reason, at: $1) }
    }
  }
}
