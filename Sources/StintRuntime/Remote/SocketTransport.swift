import CStint
import Glibc
import StintCore

/// A conversation over a connected stream socket, with a thread of its own from the first sign of
/// the other end.
///
/// Given a loop, it waits for that sign there: a command that does not speak costs no thread. It
/// lives until it is closed or the other end is. Sending never waits: what the socket does not take
/// is kept up to a bound, beyond which the other end is given up. A flood from the other end is
/// read at a bounded rate. The thread does not run an ``EventLoop``: it also waits for room to
/// write and at times does not read, and a loop only knows what can be read.
package final class SocketTransport: MessageTransport {
  private struct State {
    var outbox = Outbox()
    var isSending = false
    /// The other end took so much as to fill the bound.
    var isOverfull = false
    var isClosed = false
    /// Who is to hear what comes, while there is no thread.
    var waiting: (any MessageReceiver)?
    var thread: SerialThread?

    /// Whether there is something for the thread to do though nothing has come.
    var mustWork: Bool { isOverfull || !outbox.isEmpty }
  }

  private static let endedHere = "this end closed it"
  private static let sendFlags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)

  private let descriptor: Int32
  private let event: Int32
  private let state = Protected(State())
  private let name: String
  private let loop: EventLoop?

  /// Takes over a socket.
  ///
  /// - Parameters:
  ///   - descriptor: A connected stream socket, which is closed with the conversation.
  ///   - name: The thread's name, of 15 bytes at most.
  ///   - loop: Waits for the other end's first sign; without one the thread does.
  /// - Throws: ``StintError`` with the code `unavailable` if there is no descriptor left.
  package init(
    descriptor: Int32, name: String, firstSignAt loop: EventLoop? = nil
  ) throws(StintError) {
    event = stint_event_open()
    guard event >= 0 else {
      throw .noDescriptor(for: "the connection to another process", -event)
    }
    self.descriptor = descriptor
    self.name = name
    self.loop = loop
  }

  deinit {
    Glibc.close(descriptor)
    Glibc.close(event)
  }

  package func start(_ receiver: any MessageReceiver) {
    let waits = state.withLock { state in
      guard loop != nil, !state.mustWork, !state.isClosed else { return false }
      state.waiting = receiver
      return true
    }
    guard waits, let loop else { return start(receiver, framer: LineFramer(), lines: []) }
    loop.watch(descriptor) { self.signCame() }
  }

  /// The other end has said something, or has gone.
  private func signCame() {
    // Who took the waiting back may have come before the watch began.
    guard let receiver = stopWaiting() else {
      loop?.unwatch(descriptor)
      return
    }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN)) {
      return start(receiver, framer: LineFramer(), lines: [])
    }
    let why = Self.end(count)
    close()
    receiver.conversationEnded(why)
  }

  /// Takes the waiting for a first sign back.
  ///
  /// - Returns: Who waited, for whoever is the first to ask.
  private func stopWaiting() -> (any MessageReceiver)? {
    let receiver = state.withLock { $0.waiting.take() }
    if receiver != nil { loop?.unwatch(descriptor) }
    return receiver
  }

  /// Why nothing more can be read.
  private static func end(_ count: Int) -> String {
    count == 0 ? "the other end closed it" : "reading failed (error \(errno))"
  }

  /// Begins to hand over, first what was read before.
  package func start(_ receiver: any MessageReceiver, framer: LineFramer, lines: [[UInt8]]) {
    let thread = SerialThread(name: name)
    state.withLock { $0.thread = thread }
    thread.enqueue {
      for line in lines { receiver.received(line) }
      let why = self.converse(with: receiver, framer)
      self.close()
      receiver.conversationEnded(why)
    }
  }

  package func enqueue(_ line: String) {
    state.withLock { state in
      guard !state.isClosed, !state.isOverfull else { return }
      if !state.outbox.append(line) { state.isOverfull = true }
    }
  }

  package func flush() {
    while true {
      let bytes = state.withLock { state -> [UInt8]? in
        guard !state.isSending, !state.isClosed, !state.outbox.isEmpty else { return nil }
        state.isSending = true
        return state.outbox.take()
      }
      guard let bytes else { break }
      let sent = send(bytes)
      let isDone = state.withLock { state in
        state.isSending = false
        if sent < bytes.count { state.outbox.putBack(bytes[sent...]) }
        return sent == bytes.count
      }
      if !isDone { break }
    }
    // The thread waits for room, or ends an overfull conversation.
    guard state.withLock({ $0.mustWork }) else { return }
    stint_event_signal(event)
    if let receiver = stopWaiting() { start(receiver, framer: LineFramer(), lines: []) }
  }

  package func close() {
    state.withLock { $0.isClosed = true }
    // Before the socket is shut down, lest the loop take that for the other end's doing.
    let receiver = stopWaiting()
    // Wakes the thread, too; the descriptor itself lives as long as somebody may use its number.
    shutdown(descriptor, Int32(SHUT_RDWR))
    stint_event_signal(event)
    // Called back as by the thread: later, and under nobody's lock.
    if let receiver {
      loop?.post { receiver.conversationEnded(Self.endedHere) }
    }
  }

  /// Sends without waiting, and without a signal if nobody reads.
  private func send(_ bytes: [UInt8]) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Self.sendFlags)
      }
      if count < 0, errno == EINTR { continue }
      // Full, or gone, which reading will tell.
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  // MARK: The thread

  /// Reads and sends until the conversation is over.
  ///
  /// - Returns: Why it is.
  private func converse(with receiver: any MessageReceiver, _ framer: LineFramer) -> String {
    var framer = framer
    var allowance = ReadingAllowance()
    var buffer = [UInt8](repeating: 0, count: 8_192)
    while true {
      let (isClosed, isOverfull, mustSend) = state.withLock {
        ($0.isClosed, $0.isOverfull, !$0.outbox.isEmpty)
      }
      if isClosed { return Self.endedHere }
      if isOverfull { return "the other end does not read" }
      let pause = allowance.pause(at: BootClock.now)
      let ready = wait(reading: pause == nil, sending: mustSend, atMost: pause)
      if ready.canSend { flush() }
      guard ready.canRead, pause == nil else { continue }
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else {
        let why = Self.end(count)
        return state.withLock { $0.isClosed } ? Self.endedHere : why
      }
      allowance.took(count, at: BootClock.now)
      do {
        for line in try framer.append(buffer[..<count]) {
          if state.withLock({ $0.isClosed }) { break }
          receiver.received(line)
        }
      } catch {
        return "\(error)"
      }
    }
  }

  /// Waits until there is something to do.
  private func wait(
    reading: Bool, sending: Bool, atMost limit: Duration?
  ) -> (canRead: Bool, canSend: Bool) {
    let wanted = (reading ? POLLIN : 0) | (sending ? POLLOUT : 0)
    var polled = [
      pollfd(fd: event, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(wanted), revents: 0),
    ]
    // A hang-up is reported even if nobody asks, so a paused socket is left out.
    if wanted == 0 { polled.removeLast() }
    let milliseconds = limit.map { Int32(clamping: $0.nanoseconds / 1_000_000 + 1) } ?? -1
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return (false, false) }
    if polled[0].revents != 0 {
      var count: UInt64 = 0
      _ = read(event, &count, 8)
    }
    let events = polled.count > 1 ? Int32(polled[1].revents) : 0
    let isOver = events & (POLLHUP | POLLERR | POLLNVAL) != 0
    return (events & POLLIN != 0 || isOver, events & POLLOUT != 0)
  }
}

/// How much more may be read in this period.
private struct ReadingAllowance {
  private var periodEnd = Instant(nanoseconds: .min)
  private var leftBytes = 0

  /// How long reading has to wait; nil if it need not.
  func pause(at now: Instant) -> Duration? {
    leftBytes > 0 || now >= periodEnd ? nil : now.duration(to: periodEnd)
  }

  mutating func took(_ count: Int, at now: Instant) {
    if now >= periodEnd {
      periodEnd = now.advanced(by: SystemProtocol.readingPeriod)
      leftBytes = SystemProtocol.maximumReadBytes
    }
    leftBytes -= count
  }
}
