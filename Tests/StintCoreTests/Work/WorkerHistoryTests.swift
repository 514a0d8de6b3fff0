import StintCore
import Testing

@Suite("The worker machine: random histories")
struct WorkerHistoryTests {
  private static let disk = StintError(.io, "No space is left on the device.", errno: 28)

  @Test(
    "W5 whatever happens in whatever order, the worker never gets stuck, twice busy or wrong in its accounts",
    arguments: 1...8)
  func anyOrder(block: Int) {
    for seed in UInt64(block * 1_000)..<UInt64(block * 1_000 + 300) {
      var world = WorkerWorld(seed: seed)
      world.event("started") { $0.started(isInForeground: true, at: $1) }
      for _ in 0..<80 where world.faults.isEmpty && !world.isKilled { step(&world) }
      if world.faults.isEmpty, !world.isKilled { drain(&world) }
      guard world.faults.isEmpty else {
        Issue.record(
          "seed \(seed): \(world.faults)\n\(world.history.suffix(14).joined(separator: "\n"))")
        return
      }
    }
  }

  /// One random thing that can happen now.
  private func step(_ world: inout WorkerWorld) {
    let took = Duration.milliseconds(Int.random(in: 1...120, using: &world.random))
    let lot = Int.random(in: 0..<100, using: &world.random)
    switch lot {
    case 0..<25: if world.chunk != nil { endChunk(&world, took) }
    case 25..<38: if world.save != nil { world.finishSave(lot == 25 ? Self.disk : nil) }
    case 38..<44: if world.isDelivering { world.finishDelivery(lot == 38 ? Self.disk : nil) }
    case 44..<58: if world.isAsked { world.answer(granting: lot > 46) }
    case 58..<64: if !world.untold.isEmpty { world.tell() }
    case 64..<69: if world.isInForeground { world.enterBackground() }
    case 69..<74: if !world.isInForeground { world.becomeActive() }
    case 74..<78: if !world.openTasks.isEmpty || world.isAsked { world.expire(.timeElapsed) }
    case 78..<80: pause(&world)
    case 80..<84: resume(&world)
    case 84: if took < .milliseconds(10) { stop(&world, .now) }
    case 85: if took < .milliseconds(10) { stop(&world, .afterNextCheckpoint) }
    default: world.pass(took)
    }
  }

  private func endChunk(_ world: inout WorkerWorld, _ took: Duration) {
    world.pass(took)
    if world.chunk?.flagged == true, Bool.random(using: &world.random) {
      world.chunk = nil
      world.event("chunk gave up") { $0.chunkGaveUp(at: $1) }
    } else if Int.random(in: 0..<200, using: &world.random) == 0 {
      world.chunk = nil
      world.event("chunk failed") { $0.chunkFailed(Self.disk, at: $1) }
    } else {
      world.finishChunk(took: took)
    }
  }

  private func pause(_ world: inout WorkerWorld) {
    world.isPauseWanted = true
    world.event("pause") { $0.pauseRequested(at: $1) }
  }

  private func resume(_ world: inout WorkerWorld) {
    world.isPauseWanted = false
    world.event("resume") { $0.resumeRequested(at: $1) }
  }

  private func stop(_ world: inout WorkerWorld, _ mode: WorkerMachine.StopMode) {
    world.isStopWanted = true
    world.event("stop \(mode)") { $0.stopRequested(mode, reason: .stopRequested, at: $1) }
  }

  /// Left alone in the foreground, the worker comes to its end.
  private func drain(_ world: inout WorkerWorld) {
    if !world.isInForeground { world.becomeActive() }
    while !world.untold.isEmpty { world.tell() }
    resume(&world)
    for _ in 0..<1_000 where world.faults.isEmpty {
      if world.isAsked {
        world.answer(granting: true)
      } else if world.save != nil {
        world.finishSave()
      } else if world.isDelivering {
        world.finishDelivery()
      } else if world.chunk != nil {
        world.finishChunk(took: .milliseconds(10))
      } else {
        break
      }
    }
    if world.outcome == nil { world.note("never ended: \(world.machine.phase)") }
    if !world.openTasks.isEmpty { world.note("left tasks open: \(world.openTasks)") }
  }
}
