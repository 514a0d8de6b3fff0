/// What both ends of the system protocol agree on: how a supervisor grants time to a child over a
/// socket.
///
/// The messages are described for any language in `docs/formats/system-protocol.md`.
package enum SystemProtocol {
  /// The version that is spoken here; another one is not answered.
  package static let version = 1
  /// The environment variable with the number of the descriptor.
  package static let descriptorVariable = "STINT_SYSTEM_FD"
  /// The environment variable with the process that owns the other end.
  package static let ownerVariable = "STINT_SYSTEM_PID"
  /// For a child that does not speak: the instant of its deadline, in nanoseconds of the boot-time
  /// clock.
  package static let deadlineVariable = "STINT_DEADLINE"
  /// For a child that does not speak: what its stint is granted, in seconds.
  package static let budgetVariable = "STINT_BUDGET_SECONDS"
  /// The same instant in seconds since 1970, for processes on other hosts.
  package static let unixDeadlineVariable = "STINT_DEADLINE_UNIX"
  /// The boot to whose clock the deadline belongs.
  package static let bootVariable = "STINT_BOOT_ID"
  /// Which stint of its job or its supervisor it is, from 1.
  package static let stintVariable = "STINT_STINT"
  /// The key of the job; for a command that is one.
  package static let jobVariable = "STINT_JOB"
  /// The absolute path, or pattern, of the checkpoint that its supervisor looks at.
  package static let checkpointVariable = "STINT_CHECKPOINT"

  /// The longest line, with its newline.
  package static let maximumLineBytes = 4_096
  /// The longest name of a task or a program; a longer one is cut, and refused when it is received.
  package static let maximumNameBytes = 512
  /// How much may wait for a reader that does not read; with more than that it is given up.
  package static let maximumWaitingBytes = 65_536
  /// How much of the other end's messages is read in ``readingPeriod``; the rest waits.
  package static let maximumReadBytes = 65_536
  /// See ``maximumReadBytes``.
  package static let readingPeriod = Duration.milliseconds(100)
  /// How deep a value may be nested; a deeper one is refused.
  package static let maximumDepth = 8
  /// The longest time that a message may name: a hundred years.
  package static let maximumDuration = Duration.seconds(36_525 * 86_400)

  /// A name cut to what a line can hold.
  package static func cut(_ name: String) -> String {
    guard name.utf8.count > maximumNameBytes else { return name }
    var result = ""
    var size = 0
    for character in name.unicodeScalars {
      size += Unicode.UTF8.width(character)
      if size > maximumNameBytes { break }
      result.unicodeScalars.append(character)
    }
    return result
  }
}

/// What is wrong with a line of the other end; the conversation ends with it.
package struct ProtocolFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause that says it.
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}
