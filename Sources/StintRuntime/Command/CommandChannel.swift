package import StintCore

/// Gives time to a command that asks for it: the supervisor's side of a connection that the command
/// inherits.
///
/// All functions are called on the supervisor's thread. The tasks that the command asks for are
/// begun with the supervisor's ``CommandSupervisor/driver``; one that speaks is told with
/// ``CommandSupervisor/hearCommand()``.
package protocol CommandChannel: AnyObject, Sendable {
  /// Makes the connection for the next process of the command.
  ///
  /// - Returns: Variables that are set for the command, and descriptors that it keeps; nil if it
  ///   gets none.
  func open(for supervisor: CommandSupervisor) -> CommandChannelEnd?

  /// Whether the command speaks now.
  var isSpeaking: Bool { get }

  /// The process runs, so the supervisor's copy of its end can be closed; or it could not be
  /// started.
  func started(processID: Int32?)

  /// The system has decided to end the process, or to suspend it at its deadline.
  func terminating(_ cause: TerminationCause)

  /// The process has ended and is about to be reaped.
  func ended()
}

/// What a command needs in order to speak to its system.
package struct CommandChannelEnd: Hashable, Sendable {
  var variables: [String: String]
  var kept: [Int32]
}
