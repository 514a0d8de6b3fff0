import Foundation
import StintCommands
import StintCore

/// Everything that one run of a benchmark found.
struct BenchReport: Encodable {
  let program = BenchVerb.program
  let version = StintProgram.version
  let verb: String
  let quick: Bool
  let machine: MachineState
  /// What others used meanwhile; nil where that cannot be known.
  var others: Disturbance?
  let figures: [Figure]
  let tookSeconds: Double

  /// Whether a judged figure is on the wrong side of its gate.
  var hasMissedGate: Bool {
    figures.contains { $0.verdict == .missed }
  }

  /// The report as one JSON object (`Benchmarks/README.md` has its members).
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
