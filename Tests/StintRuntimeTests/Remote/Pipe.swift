import StintCore
import StintRuntime

/// A conversation in memory: what one end sends arrives at the other when, and cut as, the test
/// says.
final class Pipe: Sendable {
  /// One end.
  final class End: MessageTransport {
    private struct State {
      var receiver: (any MessageReceiver)?
      var sent: [UInt8] = []
      var framer = LineFramer()
      var isClosed = false
    }

    private let state = Protected(State())
    /// Takes lines out before they are sent; a planted fault.
    private let loses: @Sendable (String) -> Bool

    init(loses: @escaping @Sendable (String) -> Bool) {
      self.loses = loses
    }

    func start(_ receiver: any MessageReceiver) {
      state.withLock { $0.receiver = receiver }
    }

    func enqueue(_ line: String) {
      if loses(line) { return }
      state.withLock { if !$0.isClosed { $0.sent += line.utf8 } }
    }

    func flush() {}

    func close() { state.withLock { $0.isClosed = true } }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// How much was sent and has not arrived.
    var waitingBytes: Int { state.withLock { $0.sent.count } }

    fileprivate func take(_ count: Int) -> [UInt8] {
      state.withLock { state in
        let taken = Array(state.sent.prefix(count))
        state.sent.removeFirst(taken.count)
        return taken
      }
    }

    fileprivate func arrive(_ bytes: [UInt8]) {
      let (receiver, lines) = state.withLock { state -> ((any MessageReceiver)?, [[UInt8]]?) in
        state.isClosed ? (nil, nil) : (state.receiver, try? state.framer.append(bytes[...]))
      }
      for line in lines ?? [] { receiver?.received(line) }
    }

    /// Lets go of who receives.
    func forget() {
      let receiver = state.withLock { state in
        defer { state.receiver = nil }
        return state.receiver
      }
      withExtendedLifetime(receiver) {}
    }

    /// The other end has gone.
    func hangUp() {
      let receiver = state.withLock { state in
        state.isClosed = true
        defer { state.receiver = nil }
        return state.receiver
      }
      receiver?.conversationEnded("the other end closed it")
    }
  }

  let server: End
  let child: End

  init(loses: @escaping @Sendable (String) -> Bool = { _ in false }) {
    server = End(loses: loses)
    child = End(loses: loses)
  }

  /// Lets so many bytes of the server's arrive at the child.
  func deliverToChild(_ count: Int = .max) { child.arrive(server.take(count)) }

  /// Lets so many bytes of the child's arrive at the server.
  func deliverToServer(_ count: Int = .max) { server.arrive(child.take(count)) }
}
