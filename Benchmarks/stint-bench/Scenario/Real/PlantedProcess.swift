import Dispatch
import Glibc
import Stint
import StintCore
import StintScenarios

/// A worker as programs write them by hand, with one fault planted in it; without one it does
/// everything right.
///
/// What ``PlantedWorker`` is in virtual time, with a thread that computes, a job on the disk, and a
/// handler on the main queue.
final class PlantedProcess: Sendable {
  private struct State {
    var state: DrawnComputation.State?
    var task = BackgroundTaskIdentifier.invalid
    var isExpired = false
  }

  private static let savesPerBudget: Int64 = 4
  private static let exaggeration = 1.5

  private let child: RealChild
  private let fault: WorkerFault?
  private let computation: DrawnComputation
  private let job: Job
  private let application: Application
  private let lines: LineFile
  private let stopFlag = StopFlag()
  private let state = Protected(State())
  private let compute = SerialThread(name: "compute")
  private let saver = SerialThread(name: "saver")
  private let computed = DispatchSemaphore(value: 0)

  init(
    _ child: RealChild, computation: DrawnComputation, job: Job, application: Application,
    lines: LineFile
  ) {
    self.child = child
    fault = WorkerFault(rawValue: child.worker)
    self.computation = computation
    self.job = job
    self.application = application
    self.lines = lines
  }

  /// Loads, begins its tasks and computes; called on main.
  func start() throws {
    let restored = try job.restore { try computation.decode($0, in: job.workspace) }
    let first = try restored?.state ?? computation.start(in: job.workspace)
    let task = application.beginBackgroundTask(withName: "work") { self.expired() }
    if fault == .leakedTask {
      _ = application.beginBackgroundTask(withName: "prefetch") {}
    }
    state.withLock { state in
      state.state = first
      state.task = task
    }
    compute.enqueue {
      self.run(from: first)
      self.computed.signal()
    }
  }

  private func run(from first: DrawnComputation.State) {
    var newest = first
    let interval = Duration.nanoseconds(child.grant / Self.savesPerBudget)
    var nextSave = BootClock.now.advanced(by: interval)
    while !stopFlag.isRaised, let next = computation.run(from: newest, until: { stopFlag.isRaised })
    {
      newest = next
      state.withLock { $0.state = next }
      report(next, .running)
      // Who lets go too early is to have something in hand.
      if fault != .earlyReturn, BootClock.now >= nextSave, !state.withLock({ $0.isExpired }) {
        save(next)
        report(next, .running)
        nextSave = BootClock.now.advanced(by: interval)
      }
    }
  }

  /// The expiration handler, on main; it returns when everything is done, unless that is its fault.
  func expired() {
    let isFirst = state.withLock { state in
      defer { state.isExpired = true }
      return !state.isExpired
    }
    guard isFirst, fault != .ignoredWarning else { return }
    stopFlag.raise()
    computed.wait()
    let (newest, task) = state.withLock { ($0.state, $0.task) }
    guard let newest else { return }
    if fault == .earlyReturn {
      report(newest, .saving)
      // The save is under way for longer than anybody waits.
      saver.enqueue {
        Pause.until(BootClock.now.advanced(by: .nanoseconds(self.child.grant)))
        self.save(newest)
      }
    } else {
      save(newest)
    }
    application.endBackgroundTask(task)
    // Without a task nothing of it may run any more.
    DispatchQueue.main.async { [application] in
      if application.driver.openTasks.isEmpty { exit(SupervisorExit.unfinished) }
    }
  }

  private func save(_ newest: DrawnComputation.State) {
    report(newest, .saving)
    if fault == .lyingCheckpoint {
      lines.checkpoint(work: newest.done, fraction: computation.progress(of: newest).fraction)
      return
    }
    do {
      try computation.commit(newest, to: job)
    } catch {
      Console.say("A checkpoint could not be written: \(error)")
    }
  }

  private func report(_ newest: DrawnComputation.State, _ word: StatusReport.State) {
    var progress = computation.progress(of: newest)
    if fault == .lyingProgress { progress.fraction *= Self.exaggeration }
    let remaining = RemainingTime(until: application.driver.usableTimeEnd, at: BootClock.now)
    lines.tick(
      StatusReport(
        state: word, progress: progress, remaining: remaining,
        workTime: .nanoseconds(newest.done)))
  }
}
