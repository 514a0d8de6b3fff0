import Glibc
import Stint
import StintCore

/// What this program does when a benchmark starts it as a child.
protocol BenchChild: SendableMetatype {
  /// The word for it on the command line.
  static var name: String { get }
  /// A child never outlives this, whatever becomes of its parent.
  var mostSeconds: Int { get }
  /// What follows the name on the command line.
  var words: [String] { get }

  /// Nil if they are not its ``words``.
  init?(words: [String])

  /// Plays the role to its end.
  func play(launchedAt: Instant) throws -> Never
}

extension BenchChild {
  /// The command line of the child.
  var arguments: [String] { [BenchChildren.mark, Self.name] + words }
}

enum BenchChildren {
  fileprivate static let mark = "--as-child"

  /// Plays the role that a command line names, and ends the process; returns if it names none.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a role that is none of these.
  static func play(
    _ arguments: [String], among kinds: [any BenchChild.Type], launchedAt: Instant
  ) throws {
    guard arguments.first == mark else { return }
    let kind = kinds.first { $0.name == arguments.dropFirst().first }
    guard let child = kind?.init(words: Array(arguments.dropFirst(2))) else {
      throw StintError(.usage, "\(mark) is for stint-bench itself.")
    }
    // In a container of its own a child is process 1, which nothing can kill.
    try ProcessOne.leave()
    alarm(UInt32(clamping: child.mostSeconds))
    try child.play(launchedAt: launchedAt)
  }
}
