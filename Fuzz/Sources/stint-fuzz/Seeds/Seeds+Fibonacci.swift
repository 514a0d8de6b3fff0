import StintCore
import StintFibonacci
import StintRuntime

@testable import FuzzTargets

extension Seeds {
  /// States on the way of each computation, with the partial output that they rely on.
  static func fibonacciStates() throws -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    for (number, computation) in FibonacciTarget.numbers.enumerated() {
      seeds += try states(of: computation, choice: number)
    }
    for (number, computation) in FibonacciTarget.sequences.enumerated() {
      seeds += try states(of: computation, choice: FibonacciTarget.numbers.count + number)
    }
    return seeds
  }

  private static func states(
    of computation: some ChunkedComputation, choice: Int
  ) throws -> [[UInt8]] {
    let workspace = FibonacciTarget.workspace()
    var seeds: [[UInt8]] = []
    try forEachShape(of: computation, in: workspace) { state in
      let output = workspace.file().bytes
      let length = [UInt8(output.count & 255), UInt8(output.count >> 8)]
      seeds.append([UInt8(choice)] + length + output + computation.bytes(of: state))
      return true
    }
    return seeds
  }

  /// Takes one state of each shape on the way, until the body has enough or the work is done.
  ///
  /// States that differ only in their numbers have the same names of cases and members.
  static func forEachShape<Work: ChunkedComputation>(
    of work: Work, in workspace: MemoryWorkspace, _ body: (Work.State) -> Bool
  ) throws {
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace)
    var state = try work.start(in: workspace)
    var seen: Set<Set<Substring>> = []
    while true {
      let isNew = seen.insert(Set("\(state)".split { !$0.isLetter })).inserted
      if isNew, !body(state) { return }
      guard let next = work.outlook(of: state).next,
        let chunk = try work.run(from: state, atMost: next.smallest, in: context)
      else { return }
      state = chunk.state
    }
  }
}
