import Foundation
import Glibc

/// How a process ended.
enum ProcessEnd: Hashable, CustomStringConvertible {
  case exited(Int32)
  case signalled(Int32)

  init(waitStatus status: Int32) {
    let number = status & 0x7f
    self = number == 0 ? .exited((status >> 8) & 0xff) : .signalled(number)
  }

  var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signalled(let number): "signal \(number)"
    }
  }
}

extension ProcessEnd {
  /// Whether a run that said this ended because its budget held no step (W2, W13).
  ///
  /// A machine that is busy enough makes any budget of a test too short.
  func isForWantOfTime(_ errors: String) -> Bool {
    self == .exited(69)
      && ["in a row", "which no budget of"].contains { errors.contains($0) }
  }
}

/// A process that has ended, with what it said.
struct FinishedProcess {
  var end: ProcessEnd
  var took = Duration.zero
  /// What it and the children that it waited for used of the processors.
  var processorTime = Duration.zero
  var output = Data()
  var errors = ""

  /// The standard output as text.
  var text: String { String(decoding: output, as: UTF8.self) }

  /// The lines of standard error that are no progress: what a person would read.
  var sentences: [String] {
    errors.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("stint:  ") }
  }
}

/// Something that was waited for has not come.
struct TimedOut: Error, CustomStringConvertible {
  var what: String
  var description: String { "\(what) has not happened in time" }
}

/// Waits until a condition holds, looking every two milliseconds.
func waitUntil(
  _ what: String, atMost limit: Duration = .seconds(20), _ condition: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try !condition() {
    guard ContinuousClock.now < end else { throw TimedOut(what: what) }
    try await Task.sleep(for: .milliseconds(2))
  }
}
