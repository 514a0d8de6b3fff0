import Glibc
import StintCore

/// Offers each process of a supervised command the time of its supervisor over a socket.
///
/// All functions are called on the supervisor's thread. The supervisor holds a task of its own for
/// the command and warns one that does not speak, so the server holds no presence. The supervisor
/// of a command that speaks is told with ``CommandSupervisor/hearCommand()``.
package final class SocketChannel: Sendable {
  private struct State {
    var server: SystemServer?
    /// The command's end, until it is started.
    var offered: Int32?
  }

  private let state = Protected(State())
  /// Whether a command that stops itself when it is suspended is continued.
  private let continuesCommand: Bool
  /// For what the command is launched; nil if somebody started it for its own sake.
  private let launch: SystemMessage.Launch?
  private let commandStands: (@Sendable () -> Void)?
  private let listening: @Sendable (SocketTransport) -> any MessageTransport

  /// Creates a channel.
  ///
  /// - Parameters:
  ///   - continuesCommand: Whether the supervisor continues a command that stops itself when it is
  ///     suspended.
  ///   - launch: For what the command is launched, into the background.
  ///   - commandStands: Called when the command is suspended and has stopped itself.
  ///   - listening: Puts somebody between the socket and the server who hears what the command
  ///     says.
  package init(
    continuesCommand: Bool = false, launch: SystemMessage.Launch? = nil,
    commandStands: (@Sendable () -> Void)? = nil,
    listening: @escaping @Sendable (SocketTransport) -> any MessageTransport = { $0 }
  ) {
    self.continuesCommand = continuesCommand
    self.launch = launch
    self.commandStands = commandStands
    self.listening = listening
  }

  /// Makes the connection for the next process of the command.
  ///
  /// - Returns: The command's end. Without a descriptor left there is none, and the command is one
  ///   that does not speak.
  func open(for supervisor: CommandSupervisor) -> Int32? {
    let hear: @Sendable () -> Void = { [weak supervisor] in
      guard let supervisor else { return }
      supervisor.loop.post { supervisor.hearCommand() }
    }
    var hooks = SystemServer.Hooks()
    hooks.spoke = hear
    hooks.conversationEnded = { _ in hear() }
    if continuesCommand {
      hooks.continueChild = { [weak supervisor] in
        guard let supervisor else { return }
        supervisor.loop.post { supervisor.continueCommand() }
      }
    }
    if let commandStands {
      hooks.childStands = { [weak supervisor] in
        guard let supervisor else { return }
        supervisor.loop.post {
          // It may have been continued since.
          if supervisor.standsStill { commandStands() }
        }
      }
    }
    let made = try? SystemServer.overSocket(
      driver: supervisor.driver, name: supervisor.setup.command.name, thread: "stint-server",
      launch: launch, hooks: hooks, firstSignAt: supervisor.loop, listening: listening)
    guard let made else { return nil }
    state.withLock { $0 = State(server: made.server, offered: made.offered) }
    made.server.start()
    return made.offered
  }

  /// Whether the command speaks now.
  var isSpeaking: Bool { state.withLock { $0.server }?.phase == .speaking }

  /// Whether the command was suspended, and its process stands still until it is continued.
  var standsStill: Bool { state.withLock { $0.server }?.childStandsStill ?? false }

  /// The command's process has stopped, or goes on.
  func stopped(_ hasStopped: Bool) {
    guard continuesCommand else { return }
    state.withLock { $0.server }?.childStopped(hasStopped)
  }

  /// The process runs, so the supervisor's copy of its end can be closed; or it could not be
  /// started.
  func started(processID: Int32?) {
    if let offered = state.withLock({ $0.offered.take() }) { Glibc.close(offered) }
    if processID == nil { ended() }
  }

  /// The system has decided to end the process, or to suspend it at its deadline.
  func terminating(_ cause: TerminationCause) {
    state.withLock { $0.server }?.terminating(cause)
  }

  /// The process has ended and is about to be reaped.
  func ended() {
    state.withLock { $0.server.take() }?.childEnded()
  }
}
