import Foundation
import Stint
import StintCore

/// The effects of a system in virtual time: everything waits in queues until the test lets it run.
final class VirtualEnvironment: SystemEnvironment {
  struct Scheduled {
    let number: Int
    let at: Instant
    let work: @Sendable () -> Void
  }

  /// Why no code runs.
  enum Freeze: Hashable {
    /// The machine suspended the application (L5).
    case suspended
    /// The process or the machine stands still (A23).
    case standing
  }

  struct State {
    var isAlive = true
    var wake: (at: Instant, fire: @Sendable () -> Void)?
    var hardStop: Instant?
    var scheduled: [Scheduled] = []
    var nextNumber = 0
    var systemWork: [@Sendable () -> Void] = []
    var mainWork: [@MainActor @Sendable () -> Void] = []
    var isMainServed = true
    var record = VirtualSystem.Record()
    /// Of every worker.
    var lanes: [VirtualLanes] = []
    var freezes: Set<Freeze> = []
    var frozenSince = Instant.distantFuture
    var onKill: [@Sendable () -> Void] = []
    /// What is told at each look at the memory; there are no such looks, but tests ask whether the
    /// driver wants them.
    var onMemoryLook: (@Sendable (_ isShort: Bool) -> Void)?
    var history: VirtualHistory
    var keepsHistory = true
    var conditions = MachineConditions()
    /// By how much the wall clock was set.
    var wallStep = Duration.zero
  }

  let clock: VirtualClock
  let termination: InProcessSystem.Termination
  let state: Protected<State>

  init(clock: VirtualClock, termination: InProcessSystem.Termination) {
    self.clock = clock
    self.termination = termination
    state = Protected(State(history: VirtualHistory(start: clock.now)))
  }

  var now: Instant { clock.now }
  let machineSuspended = Duration.zero

  var toldConditions: MachineConditions? { state.withLock { $0.conditions } }

  /// Somewhere in 2027, so that labels look like labels.
  var wallTime: WallInstant {
    WallInstant(nanoseconds: 1_800_000_000_000_000_000 + clock.now.nanoseconds)
      .advanced(by: state.withLock { $0.wallStep })
  }

  var isOnMain: Bool {
    Thread.isMainThread && state.withLock { $0.isMainServed }
  }

  func setWake(at instant: Instant?, _ fire: @escaping @Sendable () -> Void) {
    whileAlive { $0.wake = instant.map { ($0, fire) } }
  }

  func armHardStop(at instant: Instant?) throws(StintError) {
    whileAlive { $0.hardStop = instant }
  }

  func onSystemThread(_ work: @escaping @Sendable () -> Void) {
    whileAlive { $0.systemWork.append(work) }
  }

  func onMain(_ work: @escaping @MainActor @Sendable () -> Void) {
    whileAlive { $0.mainWork.append(work) }
  }

  func onMain(of teller: any TransitionTeller, _ work: @escaping @MainActor @Sendable () -> Void) {
    onMain(work)
  }

  /// Not on the queue, which a test could not wait for.
  func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    onSystemThread(work)
  }

  func onMainActor(_ work: @escaping @MainActor @Sendable () async -> Void) {
    Task { @MainActor in await work() }
  }

  func onAnyThread(_ work: @escaping @Sendable () -> Void) {
    // A thread, not a pool: a block that waits for another must not keep that one from starting.
    Thread.detachNewThread(work)
  }

  func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) {
    whileAlive { state in
      state.nextNumber += 1
      state.scheduled.append(Scheduled(number: state.nextNumber, at: instant, work: work))
    }
  }

  func watchMemory(_ onLook: (@Sendable (_ isShort: Bool) -> Void)?) {
    whileAlive { $0.onMemoryLook = onLook }
  }

  func announceExpiry(_ reason: ExpiryReason, deadline: Instant, openTasks: [String]) {
    note { "system: expiry announced: \(reason), open: \(openTasks.joined(separator: ", "))" }
    whileAlive { state in
      state.record.announcements.append(
        VirtualSystem.Announcement(reason: reason, deadline: deadline, openTasks: openTasks))
    }
  }

  func terminate(_ cause: TerminationCause) {
    note { "system: terminated: \(cause)" }
    whileAlive { $0.record.terminations.append(cause) }
    if termination == .terminate { kill() }
  }

  func exit(_ status: Int32) {
    note { "the process exits with \(status)" }
    whileAlive { $0.record.exits.append(status) }
  }

  func stopProcess() {
    whileAlive { $0.record.stops += 1 }
  }

  func diagnose(_ diagnostic: Diagnostic) {
    note { "diagnostic: \(diagnostic)" }
    whileAlive { $0.record.diagnostics.append(diagnostic) }
  }

  /// Changes the state unless the process is gone: what a dead one does has no effect.
  private func whileAlive(_ body: (inout State) -> Void) {
    state.withLock { if $0.isAlive { body(&$0) } }
  }

  // MARK: The process

  var isAlive: Bool { state.withLock { $0.isAlive } }

  /// Adds a line to the history.
  func note(_ text: () -> String) {
    guard state.withLock({ $0.isAlive && $0.keepsHistory }) else { return }
    let line = text()
    let now = clock.now
    state.withLock { $0.history.add(line, at: now) }
  }

  func add(_ lanes: VirtualLanes) {
    whileAlive { $0.lanes.append(lanes) }
  }

  /// Whether a chunk is under way.
  var runsChunk: Bool { state.withLock { $0.lanes }.contains { $0.runsChunk } }

  /// Whether no code runs.
  var isFrozen: Bool { state.withLock { !$0.freezes.isEmpty } }

  /// No code of workers runs from now on.
  func freeze(_ freeze: Freeze) {
    let now = clock.now
    let frozen = state.withLock { state -> [VirtualLanes] in
      let isFirst = state.freezes.isEmpty
      state.freezes.insert(freeze)
      guard isFirst else { return [] }
      state.frozenSince = now
      return state.lanes
    }
    for lanes in frozen { lanes.freeze() }
  }

  /// Code of workers runs again, unless there is another reason that it does not.
  func thaw(_ freeze: Freeze) {
    let (frozen, since) = state.withLock { state -> ([VirtualLanes], Instant) in
      guard state.freezes.remove(freeze) != nil, state.freezes.isEmpty else {
        return ([], .distantFuture)
      }
      return (state.lanes, state.frozenSince)
    }
    let stopped = since.duration(to: clock.now)
    for lanes in frozen { lanes.thaw(after: stopped) }
  }

  /// The process is gone at this instant: everything that waits is forgotten.
  func kill() {
    note { "the process is gone" }
    dropWork()
    let onKill = state.withLock { state in
      defer { state.onKill = [] }
      return state.onKill
    }
    for body in onKill { body() }
  }

  /// Forgets everything that waits, and refuses what comes later.
  func dropWork() {
    // Released outside the lock: what the closures hold may be anything.
    let dropped = state.withLock { state in
      defer {
        state.isAlive = false
        state.wake = nil
        state.hardStop = nil
        state.scheduled = []
        state.systemWork = []
        state.mainWork = []
        state.lanes = []
      }
      return state
    }
    for lanes in dropped.lanes { lanes.drop() }
  }

  /// Takes the earliest thing that is due by an instant: a scheduled call or the driver's wake-up.
  func takeDue(by instant: Instant) -> (at: Instant, work: @Sendable () -> Void)? {
    state.withLock { state in
      let first = state.scheduled.min { ($0.at, $0.number) < ($1.at, $1.number) }
      if let wake = state.wake, wake.at <= (first?.at ?? .distantFuture), wake.at <= instant {
        state.wake = nil
        return (wake.at, wake.fire)
      }
      guard let first, first.at <= instant else { return nil }
      if let index = state.scheduled.firstIndex(where: { $0.number == first.number }) {
        state.scheduled.remove(at: index)
      }
      return (first.at, first.work)
    }
  }

  /// Takes the next thing that waits for no time.
  func takeSystemWork() -> (@Sendable () -> Void)? {
    state.withLock { $0.systemWork.isEmpty ? nil : $0.systemWork.removeFirst() }
  }

  /// Takes the next turn of the main queue.
  func takeMainWork() -> (@MainActor @Sendable () -> Void)? {
    state.withLock { state in
      state.mainWork.isEmpty || !state.isMainServed ? nil : state.mainWork.removeFirst()
    }
  }
}
