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
  private let listening: @Sendable (SocketTransport) -> any MessageTransport

  /// Creates a channel.
  ///
  /// - Parameter listening: Puts somebody between the socket and the server who hears what the
  ///   command says.
  package init(
    listening: @escaping @Sendable (SocketTransport) -> any MessageTransport = { $0 }
  ) {
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
    let made = try? SystemServer.overSocket(
      driver: supervisor.driver, name: supervisor.setup.command.name, thread: "stint-server",
      hooks: hooks, firstSignAt: supervisor.loop, listening: listening)
    guard let made else { return nil }
    state.withLock { $0 = State(server: made.server, offered: made.offered) }
    made.server.start()
    return made.offered
  }

  /// Whether the command speaks now.
  var isSpeaking: Bool { state.withLock { $0.server }?.phase == .speaking }

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
