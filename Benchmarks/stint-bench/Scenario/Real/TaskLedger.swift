import Stint
import StintCore
import StintScenarios

/// The tasks that a worker began and ended over the channel on which its supervisor offers it time.
final class TaskLedger: Sendable {
  private struct State {
    var names: [Int: String] = [:]
    var entries: [(at: Instant, event: Sighting.Event)] = []
  }

  private let state = Protected(State())

  /// The tasks with their instants; empty for a worker that does not speak.
  var entries: [(at: Instant, event: Sighting.Event)] { state.withLock { $0.entries } }

  /// A channel on which this ledger listens.
  var channel: SocketChannel {
    SocketChannel(listening: { ListeningTransport($0, heard: self.heard) })
  }

  /// What is said is noted when it arrives, whatever the system then makes of it.
  private func heard(_ line: [UInt8]) {
    guard let message = try? ChildMessage.read(line) else { return }
    let now = BootClock.now
    state.withLock { state in
      switch message {
      case .hello, .due, .suspended: break
      case .begin(let task, let name):
        state.names[task] = name
        state.entries.append((now, .taskBegan(name)))
      case .end(let task):
        if let name = state.names.removeValue(forKey: task) {
          state.entries.append((now, .taskEnded(name)))
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
