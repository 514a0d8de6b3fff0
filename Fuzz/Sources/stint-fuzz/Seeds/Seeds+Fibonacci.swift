import StintCore
import StintFibonacci
import StintRuntime
import StintTesting

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

  /// One state of each shape: those that differ only in their numbers have the same names of cases
  /// and members.
  private static func states<Computation: ChunkedComputation>(
    of computation: Computation, choice: Int
  ) throws -> [[UInt8]] {
    let workspace = FibonacciTarget.workspace()
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace)
    var state = try computation.start(in: workspace)
    var seeds: [[UInt8]] = []
    var seen: Set<Set<Substring>> = []
    while true {
      let shape = Set("\(state)".split { !$0.isLetter })
      if seen.insert(shape).inserted {
        let output = workspace.file().bytes
        let length = [UInt8(output.count & 255), UInt8(output.count >> 8)]
        let payload = computation.bytes(of: state)
        seeds.append([UInt8(choice)] + length + output + payload)
      }
      guard let next = computation.outlook(of: state).next,
        let chunk = try computation.run(from: state, atMost: next.smallest, in: context)
      else { return seeds }
      state = chunk.state
    }
  }
}
