import CStint
import Glibc
package import StintCore

/// Offers each process of a supervised command the time of its supervisor over a socket.
///
/// The supervisor holds a task of its own for the command and warns one that does not speak, so the
/// server holds no presence.
package final class SocketChannel: CommandChannel {
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

  package func open(for supervisor: CommandSupervisor) -> CommandChannelEnd? {
    var (own, offered) = (Int32(-1), Int32(-1))
    // Without a descriptor left the command is one that does not speak.
    guard stint_socket_pair(&own, &offered) == 0 else { return nil }
    let transport = try? SocketTransport(
      descriptor: own, name: "stint-server", firstSignAt: supervisor.loop)
    guard let transport else {
      Glibc.close(own)
      Glibc.close(offered)
      return nil
    }
    var hooks = SystemServer.Hooks()
    hooks.spoke = { [weak supervisor] in
      guard let supervisor else { return }
      supervisor.loop.post { supervisor.hearCommand() }
    }
    hooks.conversationEnded = { [weak supervisor] _ in
      guard let supervisor else { return }
      supervisor.loop.post { supervisor.hearCommand() }
    }
    let server = SystemServer(
      driver: supervisor.driver, name: supervisor.setup.command.name,
      transport: listening(transport), holdsPresence: false, hooks: hooks)
    state.withLock { state in
      state.server = server
      state.offered = offered
    }
    server.start()
    let variables = [
      SystemProtocol.descriptorVariable: String(offered),
      SystemProtocol.ownerVariable: String(getpid()),
    ]
    return CommandChannelEnd(variables: variables, kept: [offered])
  }

  package var isSpeaking: Bool { state.withLock { $0.server }?.phase == .speaking }

  package func started(processID: Int32?) {
    if let offered = state.withLock({ $0.offered.take() }) { Glibc.close(offered) }
    if processID == nil { ended() }
  }

  package func terminating(_ cause: TerminationCause) {
    state.withLock { $0.server }?.terminating(cause)
  }

  package func ended() {
    state.withLock { $0.server.take() }?.childEnded()
  }
}
