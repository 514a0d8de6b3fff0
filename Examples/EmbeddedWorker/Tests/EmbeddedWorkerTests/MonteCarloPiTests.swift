import Stint
import StintTesting
import Synchronization
import Testing

@testable import EmbeddedWorker

/// What a program that embeds a worker should know of its own computation; no test waits for
/// anything.
@Suite("Monte Carlo")
@MainActor
struct MonteCarloPiTests {
  @Test("without its product there is no module UIKit")
  func noUIKit() {
    #if canImport(UIKit)
    Issue.record("code that asks for UIKit would take this for iOS")
    #endif
  }

  /// Small: what counts is how often it is cut, not how many darts are thrown.
  private func computation(
    _ deliver: @escaping @Sendable (Double) -> Void = { _ in }
  ) -> MonteCarloPi {
    var computation = MonteCarloPi(darts: 20_000, seed: 2026)
    computation.deliver = deliver
    return computation
  }

  @Test("the result is the same however the run is cut")
  func sameResult() throws {
    let delivered = Delivered()
    try expectSameResult(of: computation { delivered.set($0) }) {
      Array("\(delivered.value)".utf8)
    }
    #expect(abs(delivered.value - 3.14) < 0.1)
  }

  @Test("every trip ends before its deadline, with everything saved")
  func deadline() throws {
    try expectEndsBeforeDeadline(of: computation())
  }

  @Test("a checkpoint survives whatever goes wrong at any call")
  func checkpoints() throws {
    try expectCheckpointSurvives(of: computation())
  }

  @Test("no task is left behind")
  func tasks() throws {
    try expectNoLeakedTasks { _, system in
      let job = try Job(of: computation(), on: FaultyFileSystem(), clock: system.clock)
      let worker = Worker(computation(), store: job, system: system)
      worker.start()
      system.advance(by: .milliseconds(3))
    }
  }
}

/// The last result that was delivered.
private final class Delivered: Sendable {
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}
