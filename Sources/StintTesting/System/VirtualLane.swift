import Stint
import StintCore

/// A lane in virtual time: what it takes up is done when its time has passed, and then at once.
///
/// A kill before that has the effect that nothing of it happened. While the process stands still,
/// so does the lane.
final class VirtualLane: WorkerLane {
  private struct Item {
    var work: LaneWork
    var body: @Sendable (Instant) -> Void
  }

  private struct Running {
    var item: Item
    var began: Instant
    var end: Instant
  }

  private struct State {
    var queue: [Item] = []
    var running: Running?
    var isFrozen = false
    /// Tells a scheduled end that still counts from one that was moved.
    var epoch = 0
    var generator: SeededGenerator
  }

  private let name: String
  private let costs: VirtualCosts
  private let environment: VirtualEnvironment
  private let state: Protected<State>

  init(
    name: String, costs: VirtualCosts, generator: SeededGenerator, environment: VirtualEnvironment
  ) {
    self.name = name
    self.costs = costs
    self.environment = environment
    state = Protected(State(generator: generator))
  }

  /// Whether a chunk is under way.
  var runsChunk: Bool {
    state.withLock { state in
      if case .chunk? = state.running?.item.work { true } else { false }
    }
  }

  func enqueue(_ work: LaneWork, _ body: @escaping @Sendable (Instant) -> Void) {
    guard environment.isAlive else { return }
    if work == .report {
      // Takes no time, and what is reported is of now.
      let now = environment.now
      environment.onSystemThread { body(now) }
      return
    }
    state.withLock { $0.queue.append(Item(work: work, body: body)) }
    takeUp()
  }

  func stopFlagRaised() {
    guard let giveUp = costs.giveUp else { return }
    let end = environment.now.advanced(by: giveUp)
    let isSooner = state.withLock { state in
      guard let running = state.running, case .chunk = running.item.work, end < running.end else {
        return false
      }
      state.running?.end = end
      state.epoch += 1
      return true
    }
    if isSooner { scheduleEnd() }
  }

  /// The process stands still from now on.
  func freeze() {
    state.withLock { state in
      state.isFrozen = true
      state.epoch += 1
    }
  }

  /// The process continues after that time; what was under way takes that much longer.
  func thaw(after stopped: Duration) {
    state.withLock { state in
      state.isFrozen = false
      if let end = state.running?.end { state.running?.end = end.advanced(by: stopped) }
    }
    scheduleEnd()
    takeUp()
  }

  /// Forgets everything, as a kill does.
  func drop() {
    let dropped = state.withLock { state in
      defer {
        state.queue = []
        state.running = nil
        state.epoch += 1
      }
      return (state.queue, state.running)
    }
    withExtendedLifetime(dropped) {}
  }

  private func takeUp() {
    let now = environment.now
    // The owner of the costs may decide as it likes, so it is not asked under the lock.
    let next = state.withLock { state -> (Item, SeededGenerator)? in
      guard state.running == nil, !state.isFrozen, !state.queue.isEmpty else { return nil }
      let item = state.queue.removeFirst()
      state.running = Running(item: item, began: now, end: .distantFuture)
      return (item, state.generator.split())
    }
    guard case (let item, var generator)? = next else { return }
    let time = costs.time(of: item.work.virtual, &generator)
    state.withLock { $0.running?.end = now.advanced(by: time) }
    environment.note { "\(self.name) takes up \(item.work.text)" }
    scheduleEnd()
  }

  private func scheduleEnd() {
    let due = state.withLock { state -> (Instant, Int)? in
      guard let running = state.running, !state.isFrozen else { return nil }
      return (running.end, state.epoch)
    }
    guard let (end, epoch) = due else { return }
    environment.schedule(at: end) { [weak self] in self?.ended(epoch: epoch) }
  }

  private func ended(epoch: Int) {
    let done = state.withLock { state -> Running? in
      guard state.epoch == epoch, let running = state.running else { return nil }
      state.running = nil
      return running
    }
    guard let done else { return }
    environment.note { "\(self.name) does \(done.item.work.text)" }
    done.item.body(done.began)
    takeUp()
  }
}

extension LaneWork {
  /// The work as the costs know it.
  fileprivate var virtual: VirtualWork {
    switch self {
    case .load: .load
    case .chunk(let cost): .chunk(cost: cost)
    case .save(let bytes): .save(bytes: bytes)
    case .deliver: .deliver
    case .report: preconditionFailure("A report takes no time.")
    }
  }

  /// The work in a history.
  fileprivate var text: String {
    switch self {
    case .load: "the load"
    case .chunk(let cost): "a chunk of \(cost)"
    case .save(let bytes): "a checkpoint of \(bytes) bytes"
    case .deliver: "the delivery"
    case .report: "a report"
    }
  }
}
