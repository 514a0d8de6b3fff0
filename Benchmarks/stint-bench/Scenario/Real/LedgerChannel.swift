import CStint
import Glibc
import Stint
import StintCore
import StintScenarios

/// Offers a worker the time of its supervisor, and keeps the ledger of the tasks that it begins and ends.
final class LedgerChannel: CommandChannel {
  private struct State {
    var server: SystemServer?
    var offered: Int32?
    var names: [Int: String] = [:]
    var ledger: [(at: Instant, event: Sighting.Event)] = []
  }

  private let name: String
  private let state = Protected(State())

  /// Creates the channel of a command.
  init(name: String) {
    self.name = name
  }

  /// The tasks with their instants; empty for a worker that does not speak.
  var ledger: [(at: Instant, event: Sighting.Event)] { state.withLock { $0.ledger } }

  func open(for supervisor: CommandSupervisor) -> CommandChannelEnd? {
    var (own, offered) = (Int32(-1), Int32(-1))
    guard stint_socket_pair(&own, &offered) == 0 else { return nil }
    guard let transport = try? SocketTransport(descriptor: own, name: "stint-server") else {
      Glibc.close(own)
      Glibc.close(offered)
      return nil
    }
    var hooks = SystemServer.Hooks()
    hooks.spoke = { [weak supervisor] in
      guard let supervisor else { return }
      supervisor.loop.post { supervisor.commandSpeaks() }
    }
    let listening = ListeningTransport(transport) { [weak self] line in self?.heard(line) }
    let server = SystemServer(
      driver: supervisor.driver, name: name, transport: listening,
      holdsPresence: false, hooks: hooks)
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

  func started(processID: Int32?) {
    let offered = state.withLock { state in
      defer { state.offered = nil }
      return state.offered
    }
    if let offered { Glibc.close(offered) }
    if processID == nil { ended() }
  }

  func terminating(_ cause: TerminationCause) {
    state.withLock { $0.server }?.terminating(cause)
  }

  func ended() {
    let server = state.withLock { state in
      defer { state.server = nil }
      return state.server
    }
    server?.childEnded()
  }

  /// What is said is noted when it arrives, whatever the system then makes of it.
  private func heard(_ line: [UInt8]) {
    guard let message = try? ChildMessage.read(line) else { return }
    let now = BootClock.now
    state.withLock { state in
      switch message {
      case .hello: break
      case .begin(let task, let name):
        state.names[task] = name
        state.ledger.append((now, .taskBegan(name)))
      case .end(let task):
        if let name = state.names.removeValue(forKey: task) {
          state.ledger.append((now, .taskEnded(name)))
        }
      }
    }
  }
}

/// Hands everything on, and lets somebody hear what arrives.
private final class ListeningTransport: MessageTransport, MessageReceiver {
  private let transport: SocketTransport
  private let heard: @Sendable ([UInt8]) -> Void
  private let receiver = Protected<(any MessageReceiver)?>(nil)

  init(_ transport: SocketTransport, heard: @escaping @Sendable ([UInt8]) -> Void) {
    self.transport = transport
    self.heard = heard
  }

  func start(_ receiver: any MessageReceiver) {
    self.receiver.withLock { $0 = receiver }
    transport.start(self)
  }

  func enqueue(_ line: String) { transport.enqueue(line) }
  func flush() { transport.flush() }
  func close() { transport.close() }

  func received(_ line: [UInt8]) {
    heard(line)
    receiver.withLock { $0 }?.received(line)
  }

  func conversationEnded(_ why: String) {
    let receiver = receiver.withLock { receiver in
      defer { receiver = nil }
      return receiver
    }
    receiver?.conversationEnded(why)
  }
}
