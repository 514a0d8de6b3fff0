@testable import StintCore

/// A job whose checkpoints are dear and vary: five of ten take 50 ms, four 600 ms, one 1.5 s.
enum VaryingCheckpoints {
  static let bytes = 1_000

  static func took(_ index: Int) -> Duration {
    switch index % 10 {
    case 0: .milliseconds(1_500)
    case 1, 3, 5, 7: .milliseconds(600)
    default: .milliseconds(50)
    }
  }

  static var history: WorkHistory {
    var history = WorkHistory()
    for index in 0..<120 { history.add(.init(took: took(index), bytes: bytes)) }
    return history
  }

  /// A worker of such a job that has just begun a stint of 10 s with chunks of a tenth of a second.
  static func rig(budget: Duration = .seconds(10)) -> WorkerRig {
    var rig = WorkerRig(chunks: 1_000, budget: budget)
    rig.machine = WorkerMachine(
      policy: WorkPolicy(), lead: .seconds(1), outlook: WorkerRig.outlook(left: 1_000, of: 1_000),
      restored: .zero, budget: budget, history: history)
    rig.begin(inForeground: false)
    return rig
  }

  /// The same at the first checkpoint that it begins because it means to end.
  static func closingRig() -> WorkerRig {
    var rig = rig()
    while rig.machine.phase == .working {
      rig.finishChunk()
      if rig.machine.phase == .working, rig.last.contains(.save) { rig.finishSave() }
    }
    return rig
  }
}
