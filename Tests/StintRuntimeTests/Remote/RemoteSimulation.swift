import StintCore
import StintTesting

@testable import StintRuntime

/// A seeded life of a supervisor and its child: everything in any order, messages late and cut
/// anywhere.
@MainActor
struct RemoteSimulation {
  /// A task of the child's, as the test sees it.
  private final class Life: Sendable {
    let calls = Protected(0)
    let isEnded = Protected(false)
    let endsWhenCalled: Bool

    init(endsWhenCalled: Bool) {
      self.endsWhenCalled = endsWhenCalled
    }
  }

  private let pair: RemotePair
  private var random: SeededGenerator
  private var lives: [(identifier: BackgroundTaskIdentifier, life: Life)] = []
  private var faults: [String] = []
  private var isOver = false

  init(seed: UInt64, loses: @escaping @Sendable (String) -> Bool = { _ in false }) {
    random = SeededGenerator(seed: seed)
    pair = RemotePair(loses: loses)
  }

  /// Lives, and says what was wrong.
  mutating func run(events: Int = 120) -> [String] {
    pair.speak()
    for _ in 0..<events where !isOver { step() }
    finish()
    return faults
  }

  private mutating func step() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: begin()
    case 4..<7: endOne()
    case 7..<11: pair.pipe.deliverToServer(Int.random(in: 1...80, using: &random))
    case 11..<15: pair.pipe.deliverToChild(Int.random(in: 1...400, using: &random))
    case 15: moveSupervisor()
    case 16: if chance(4) { pair.supervisor.driver.revoke() }
    case 17: if chance(30) { vanish() }
    case 18: pair.supervisor.run()
    case _: advance()
    }
    pair.child.run()
    check()
  }

  private mutating func chance(_ oneIn: Int) -> Bool {
    Int.random(in: 0..<oneIn, using: &random) == 0
  }

  private mutating func begin() {
    let life = Life(endsWhenCalled: !chance(5))
    let driver = pair.child.driver
    let identifier = pair.begin("task") { expiry in
      life.calls.withLock { $0 += 1 }
      guard life.endsWhenCalled else { return }
      life.isEnded.withLock { $0 = true }
      driver.end(expiry.task, origin: .here(), quietly: true)
    }
    if identifier != .invalid { lives.append((identifier, life)) }
  }

  private mutating func endOne() {
    guard let one = lives.randomElement(using: &random) else { return }
    one.life.isEnded.withLock { $0 = true }
    pair.end(one.identifier)
  }

  private mutating func moveSupervisor() {
    let driver = pair.supervisor.driver
    switch driver.lifeState {
    case .active: pair.supervisor.enterBackground()
    case .background, .suspended: pair.supervisor.enterForeground()
    case .inactive, .notRunning: break
    }
  }

  private mutating func vanish() {
    pair.pipe.server.hangUp()
    pair.pipe.child.hangUp()
    isOver = true
  }

  private mutating func advance() {
    let span = Duration.milliseconds(Int.random(in: 0...1_500, using: &random))
    // The child may stand still for as long; its timers are late then.
    if chance(2) {
      pair.supervisor.advance(by: span)
      pair.child.advance(by: .zero)
    } else {
      pair.child.advance(by: span)
      pair.supervisor.advance(by: .zero)
    }
  }

  private mutating func check() {
    for one in lives where one.life.calls.withLock({ $0 }) > 1 {
      faults.append("a handler of \(one.identifier) was called twice")
    }
    let driver = pair.supervisor.driver
    if let deadline = driver.view.trip?.deadline, pair.clock.now > deadline,
      driver.lifeState == .background
    {
      pair.supervisor.run()
      if driver.lifeState == .background, !driver.openTasks.isEmpty {
        faults.append("tasks live past their deadline: \(driver.openTasks.map(\.name))")
      }
    }
  }

  /// Everything arrives and the child ends all: nothing may be left, and nothing may be stuck.
  private mutating func finish() {
    pair.settle()
    if pair.supervisor.lifeState != .active, pair.child.remainingTime == .unlimited {
      faults.append(
        "the child has no end of its time, and its supervisor is \(pair.supervisor.lifeState)")
    }
    if pair.supervisor.lifeState != .active { pair.supervisor.enterForeground() }
    pair.settle()
    pair.child.advance(by: .zero)
    pair.settle()
    check()
    if !isOver, pair.child.driver.applicationState != pair.supervisor.driver.applicationState {
      faults.append(
        "the child is \(pair.child.lifeState), the supervisor \(pair.supervisor.lifeState)")
    }
    if !isOver {
      let pending = pair.child.openTasks.filter { $0.state == .pending }
      if !pending.isEmpty { faults.append("unanswered: \(pending.map(\.identifier))") }
      let granted = pair.child.openTasks.filter { $0.state != .denied }.count
      if granted != pair.heldNames.count {
        faults.append("the child holds \(granted) tasks, the supervisor \(pair.heldNames.count)")
      }
    }
    for one in lives { pair.end(one.identifier) }
    pair.settle()
    if !pair.heldNames.isEmpty { faults.append("left behind: \(pair.heldNames)") }
    pair.server.childEnded()
    pair.supervisor.run()
    if !pair.supervisor.openTasks.isEmpty { faults.append("open after the child's end") }
  }
}
