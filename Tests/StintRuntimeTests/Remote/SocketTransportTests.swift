import CStint
import Dispatch
import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("A conversation over a socket")
struct SocketTransportTests {
  /// Takes lines; tests wait for them without a sleep.
  private final class Receiver: MessageReceiver {
    private let lines = Protected<[String]>([])
    private let why = Protected<String?>(nil)
    private let arrived = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    func received(_ line: [UInt8]) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
      arrived.signal()
    }

    func conversationEnded(_ reason: String) {
      why.withLock { $0 = reason }
      ended.signal()
    }

    func waitForLines(_ count: Int) async -> [String] {
      for _ in 0..<count { await arrived.waitOffPool() }
      return lines.withLock { $0 }
    }

    func waitForEnd() async -> String? {
      await ended.waitOffPool()
      return why.withLock { $0 }
    }

    var all: [String] { lines.withLock { $0 } }
  }

  private func pair() throws -> (transport: SocketTransport, other: Int32) {
    var (first, second) = (Int32(-1), Int32(-1))
    try #require(stint_socket_pair(&first, &second) == 0)
    return (try SocketTransport(descriptor: first, name: "test"), second)
  }

  /// A pair of which the transport has begun.
  private func conversation() throws -> (SocketTransport, other: Int32, Receiver) {
    let (transport, other) = try pair()
    let receiver = Receiver()
    transport.start(receiver)
    return (transport, other, receiver)
  }

  /// What arrives next at the other end.
  private func received(at other: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = recv(other, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  private func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = send(descriptor, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      sent += count
    }
  }

  @Test("lines go both ways, and the end is told with its reason")
  func bothWays() async throws {
    let (transport, other, receiver) = try conversation()
    write("one\ntw", to: other)
    write("o\n", to: other)
    #expect(await receiver.waitForLines(2) == ["one", "two"])
    transport.enqueue("three\n")
    transport.enqueue("four\n")
    transport.flush()
    #expect(received(at: other) == "three\nfour\n")
    Glibc.close(other)
    #expect(await receiver.waitForEnd() == "the other end closed it")
  }

  @Test("an end that does not read blocks nobody and is given up")
  func deaf() async throws {
    let (transport, other, receiver) = try conversation()
    defer { Glibc.close(other) }
    let line = String(repeating: "x", count: 1_000) + "\n"
    // More than any socket buffers, and the bound.
    for _ in 0..<4_000 {
      transport.enqueue(line)
      transport.flush()
    }
    #expect(await receiver.waitForEnd() == "the other end does not read")
  }

  @Test("a slow reader gets everything in order")
  func slow() async throws {
    let (transport, other) = try pair()
    defer { Glibc.close(other) }
    var size: Int32 = 4_096
    setsockopt(other, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    let receiver = Receiver()
    transport.start(receiver)
    var expected = ""
    for number in 0..<3_000 {
      transport.enqueue("\(number)\n")
      expected += "\(number)\n"
    }
    transport.flush()
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while text.count < expected.utf8.count {
      let count = recv(other, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      text += buffer.prefix(count)
    }
    #expect(String(decoding: text, as: UTF8.self) == expected)
    transport.close()
    #expect(await receiver.waitForEnd() == "this end closed it")
  }

  @Test("a line without an end is given up before it takes memory")
  func endless() async throws {
    let (transport, other, receiver) = try conversation()
    defer { Glibc.close(other) }
    write(String(repeating: "x", count: SystemProtocol.maximumLineBytes + 1), to: other)
    #expect(await receiver.waitForEnd()?.hasPrefix("a line is longer") == true)
    #expect(receiver.all.isEmpty)
    withExtendedLifetime(transport) {}
  }

  /// Lets a conversation wait for its first sign at a loop, and runs that until the body has ended.
  private func withLoop(
    name: String, _ body: (SocketTransport, _ other: Int32, Receiver) async throws -> Void
  ) async throws {
    let loop = try EventLoop()
    var (first, second) = (Int32(-1), Int32(-1))
    try #require(stint_socket_pair(&first, &second) == 0)
    let transport = try SocketTransport(descriptor: first, name: name, firstSignAt: loop)
    let receiver = Receiver()
    transport.start(receiver)
    let thread = SerialThread(name: "loop")
    let over = DispatchSemaphore(value: 0)
    thread.enqueue {
      loop.run()
      over.signal()
    }
    try await body(transport, second, receiver)
    transport.close()
    loop.post { loop.end() }
    await over.waitOffPool()
    Glibc.close(second)
  }

  /// Whether this process has a thread of that name.
  private func hasThread(_ name: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").contains { task in
      // One that has just ended cannot be read.
      KernelFile.text("/proc/self/task/\(task)/comm") == name + "\n"
    }
  }

  @Test("at a loop the other end's first words make the thread, and nothing of them is lost")
  func firstWords() async throws {
    try await withLoop(name: "first-words") { transport, other, receiver in
      transport.enqueue("welcome\n")
      transport.flush()
      #expect(received(at: other) == "welcome\n")
      try #expect(!hasThread("first-words"))
      write("one\ntwo\n", to: other)
      #expect(await receiver.waitForLines(2) == ["one", "two"])
      try #expect(hasThread("first-words"))
      transport.close()
      #expect(await receiver.waitForEnd() == "this end closed it")
    }
  }

  @Test("at a loop an end that never spoke needs no thread, whoever closes it")
  func neverSpoke() async throws {
    try await withLoop(name: "never-spoke") { transport, other, receiver in
      transport.enqueue("welcome\n")
      transport.flush()
      shutdown(other, Int32(SHUT_RDWR))
      #expect(await receiver.waitForEnd() == "the other end closed it")
      try #expect(!hasThread("never-spoke"))
    }
    // Often, because the loop may see the socket shut down while it is being closed.
    for _ in 0..<300 {
      try await withLoop(name: "closed-here") { transport, _, receiver in
        transport.close()
        #expect(await receiver.waitForEnd() == "this end closed it")
        try #expect(!hasThread("closed-here"))
      }
    }
  }

  @Test("at a loop an end that does not read gets the thread that waits for it")
  func deafAtLoop() async throws {
    try await withLoop(name: "deaf") { transport, _, receiver in
      let line = String(repeating: "x", count: 1_000) + "\n"
      for _ in 0..<4_000 {
        transport.enqueue(line)
        transport.flush()
      }
      #expect(await receiver.waitForEnd() == "the other end does not read")
    }
  }

  @Test("a socket pair knows who made it, and what is none is refused")
  func peer() throws {
    var (first, second) = (Int32(-1), Int32(-1))
    #expect(stint_socket_pair(&first, &second) == 0)
    #expect(stint_socket_peer(first) == getpid())
    #expect(fcntl(second, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
    Glibc.close(first)
    Glibc.close(second)
    #expect(stint_socket_peer(-1) == -EBADF)
    let file = open("/dev/null", O_RDONLY)
    #expect(stint_socket_peer(file) == -ENOTSOCK)
    Glibc.close(file)
  }
}
