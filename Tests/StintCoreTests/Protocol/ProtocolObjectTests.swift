import StintCore
import Testing

@Suite("Lines of the system protocol")
struct ProtocolObjectTests {
  @Test("what is no object of JSON is a fault of the protocol, with its reason")
  func refused() {
    #expect(throws: ProtocolFault("something follows the object")) {
      try ProtocolObject(line: Array("{}{}".utf8))
    }
  }

  @Test("every truncation of a message is refused")
  func truncations() {
    let line = Array(
      SystemMessage.welcome(
        SystemMessage.Welcome(pid: 7, policy: .harmonyOS, state: .active, trip: nil)
      ).line.utf8)
    for count in 0..<(line.count - 2) {
      #expect(throws: ProtocolFault.self) { try ProtocolObject(line: Array(line[..<count])) }
    }
  }
}

@Suite("Framing")
struct LineFramerTests {
  @Test("lines come out whole however they are cut")
  func cuts() throws {
    let text = Array("one\n\ntwo and three\nfour".utf8)
    for size in 1...text.count {
      var framer = LineFramer()
      var lines: [[UInt8]] = []
      for start in stride(from: 0, to: text.count, by: size) {
        lines += try framer.append(text[start..<min(start + size, text.count)])
      }
      #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one", "", "two and three"])
      #expect(framer.heldBytes == 4)
    }
  }

  @Test("a line may be as long as the limit, newline included, and never longer")
  func longest() throws {
    let most = SystemProtocol.maximumLineBytes
    let longest = [UInt8](repeating: 65, count: most - 1)
    var framer = LineFramer()
    #expect(try framer.append((longest + [10])[...]).first?.count == most - 1)
    #expect(throws: ProtocolFault.self) {
      _ = try framer.append((longest + [65, 10])[...])
    }
    var piecemeal = LineFramer()
    #expect(throws: ProtocolFault.self) {
      while piecemeal.heldBytes <= most { _ = try piecemeal.append([65]) }
    }
    #expect(piecemeal.heldBytes == most, "more than a line is never held")
  }

  @Test("what waits for a reader is bounded, and keeps its order")
  func outbox() {
    var outbox = Outbox()
    let hadRoom = [outbox.append("a\n"), outbox.append("b\n")]
    #expect(hadRoom == [true, true])
    let taken = outbox.take()
    #expect(outbox.isEmpty)
    _ = outbox.append("c\n")
    outbox.putBack(taken[1...])
    let rest = outbox.take()
    #expect(rest == Array("\nb\nc\n".utf8))
    var count = 0
    while outbox.append(String(repeating: "x", count: 999) + "\n") { count += 1 }
    #expect(count == SystemProtocol.maximumWaitingBytes / 1_000)
  }
}
