import Dispatch
import Glibc
import Stint
import StintCore
import StintScenarios

/// A worker on the real clock that decides by a rule of the literature: the same code as in virtual
/// time, asked whenever the processor is free.
///
/// While a checkpoint is written the work stands still, as there.
final class RuleProcess: Sendable {
  private struct State {
    var rule: any Rule
    var newest: DrawnComputation.State
    var durable: Nanoseconds
    /// The end as far as it was told, since the trip's beginning.
    var toldDeadline: Nanoseconds?
    var chunkBegan: Instant?
    /// When the running chunk is given up.
    var giveUpAt: Nanoseconds?
  }

  /// What a disk that fails ends with; whoever measures is told of it.
  private static let failed: Int32 = 74

  private let launchedAt: Instant
  private let computation: DrawnComputation
  private let job: Job
  private let application: Application
  private let lines: LineFile
  private let state: Protected<State>
  private let compute = SerialThread(name: "compute")
  private let task = Protected(BackgroundTaskIdentifier.invalid)

  /// Takes up the job where it is durable.
  init(
    _ rule: any Rule, launchedAt: Instant, computation: DrawnComputation, job: Job,
    application: Application, lines: LineFile
  ) throws {
    self.launchedAt = launchedAt
    self.computation = computation
    self.job = job
    self.application = application
    self.lines = lines
    let restored = try job.restore { try computation.decode($0, in: job.workspace) }
    let newest = try restored?.state ?? computation.start(in: job.workspace)
    state = Protected(State(rule: rule, newest: newest, durable: newest.done))
  }

  /// Begins its task; called on main, before the conversation with the system begins.
  func register() {
    let identifier = application.beginBackgroundTask(withName: "work") { self.warned(until: nil) }
    task.withLock { $0 = identifier }
  }

  /// Computes, now that the system has said when the time ends.
  func start() {
    compute.enqueue {
      let end = self.application.driver.usableTimeEnd.map(self.since)
      self.state.withLock { state in
        state.toldDeadline = state.toldDeadline ?? end
        state.rule.began(self.view(state))
      }
      while self.takeStep() {}
    }
  }

  /// The end is told; on main.
  ///
  /// - Parameter deadline: As a request to stop says it; nil if the system knows it.
  func warned(until deadline: Instant?) {
    let end = (deadline ?? application.driver.usableTimeEnd).map(since)
    state.withLock { state in
      state.toldDeadline = end ?? state.toldDeadline
      let instant = state.rule.warned(view(state))
      if let instant, state.chunkBegan != nil { state.giveUpAt = instant }
    }
  }

  // MARK: On the computing thread

  /// Does what the rule says; false when that was the end.
  private func takeStep() -> Bool {
    let step = state.withLock { state in
      let step = state.rule.next(view(state))
      if case .chunk(let giveUpAt) = step {
        state.giveUpAt = giveUpAt
        state.chunkBegan = BootClock.now
      }
      return step
    }
    switch step {
    case .chunk:
      runChunk()
    case .save:
      save()
    case .end:
      end()
      return false
    }
    return true
  }

  private func runChunk() {
    let newest = state.withLock { $0.newest }
    report(newest, .running)
    let next = computation.run(from: newest) {
      self.state.withLock { $0.giveUpAt.map { self.since(BootClock.now) >= $0 } ?? false }
    }
    state.withLock { state in
      state.newest = next ?? newest
      state.chunkBegan = nil
      state.giveUpAt = nil
    }
  }

  private func save() {
    let newest = state.withLock { $0.newest }
    report(newest, .saving)
    do {
      try computation.commit(newest, to: job)
    } catch {
      Console.say("A checkpoint could not be written: \(error)")
      exit(Self.failed)
    }
    state.withLock { $0.durable = newest.done }
  }

  private func end() {
    let task = task.withLock { $0 }
    DispatchQueue.main.async { [application] in
      application.endBackgroundTask(task)
      exit(SupervisorExit.unfinished)
    }
  }

  // MARK: What a rule may know

  private func since(_ instant: Instant) -> Nanoseconds {
    launchedAt.duration(to: instant).nanoseconds
  }

  private func view(_ state: State) -> RuleView {
    RuleView(
      now: since(BootClock.now), toldDeadline: state.toldDeadline,
      inHand: state.newest.done - state.durable, position: state.newest.position,
      nominal: computation.work.workload.nominal(state.newest.position),
      chunkRan: state.chunkBegan.map { $0.duration(to: BootClock.now).nanoseconds })
  }

  private func report(_ newest: DrawnComputation.State, _ word: StatusReport.State) {
    let remaining = RemainingTime(until: application.driver.usableTimeEnd, at: BootClock.now)
    lines.tick(
      StatusReport(
        state: word, progress: computation.progress(of: newest), remaining: remaining,
        workTime: .nanoseconds(newest.done)))
  }
}
