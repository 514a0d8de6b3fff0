import Foundation
import Glibc
import Testing

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

  /// What it wrote to standard output: one object of JSON.
  var object: [String: Any] {
    get throws {
      let object = try JSONSerialization.jsonObject(with: output) as? [String: Any]
      return try #require(object, "\(text)\(errors)")
    }
  }

  /// Expects an exit status, and words in what it said to standard error.
  @discardableResult
  func expectExit(
    _ status: Int32, saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) -> FinishedProcess {
    let told: Comment = "\(String(decoding: output.prefix(2_000), as: UTF8.self))\(errors)"
    #expect(end == .exited(status), told, sourceLocation: sourceLocation)
    for word in words {
      #expect(errors.contains(word), told, sourceLocation: sourceLocation)
    }
    return self
  }

  /// Goes on only after this exit status.
  @discardableResult
  func requireExit(_ status: Int32, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> FinishedProcess
  {
    try #require(end == .exited(status), "\(errors)", sourceLocation: sourceLocation)
    return self
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
