import StintCore
import Testing

@Suite("Lines of the system protocol")
struct ProtocolObjectTests {
  private func read(_ text: String) throws -> ProtocolObject {
    try ProtocolObject(line: Array(text.utf8))
  }

  @Test("members are read by name, with every escape")
  func members() throws {
    let object = try read(
      #" { "a" : "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80" , "b":-12, "c":true,"d":false ,"e":1.5, "f":{}} "#
    )
    #expect(object["a"] == .text("\"\\/\u{8}\u{c}\n\r\té🚀"))
    #expect(object["b"] == .integer(-12))
    #expect(object["c"] == .truth(true))
    #expect(object["d"] == .truth(false))
    #expect(object["e"] == .other)
    #expect(object["f"] == .other)
    #expect(object["g"] == nil)
    #expect(try read("{}").members.isEmpty)
    #expect(try read(#"{"a":null}"#)["a"] == nil)
  }

  @Test(
    "what is no object of JSON is refused",
    arguments: [
      "", " ", "null", "[]", "1", "\"a\"", "{", "}", "{}x", "{}{}", #"{"a"}"#, #"{"a":}"#,
      #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":01}"#,
      #"{"a":+1}"#, #"{"a":-}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":NaN}"#,
      #"{"a":truE}"#, #"{"a":tru}"#, #"{"a":[1,]}"#, #"{"a":[}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
      #"{"a":"\u+123"}"#, #"{"a":"\ud800"}"#, #"{"a":"\ud800\u0041"}"#, #"{"a":"\udc00"}"#,
      "{\"a\":\"\n\"}", "{\"a\":\"\u{1}\"}", #"{"a":"b"#, #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#,
      "\u{feff}{}", #"{"a":{"b":1,"b":2}}"#,
    ])
  func refused(text: String) {
    #expect(throws: ProtocolFault.self) { try read(text) }
  }

  @Test("text that is not UTF-8 is refused, at every place")
  func notText() {
    for bytes in [
      [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82],
    ] {
      let spoiled = bytes.map { UInt8($0) }
      #expect(throws: ProtocolFault.self) {
        try ProtocolObject(line: Array(#"{"a":""#.utf8) + spoiled + Array(#""}"#.utf8))
      }
      #expect(throws: ProtocolFault.self) { try ProtocolObject(line: spoiled) }
    }
  }

  @Test("two names that only look alike are two names")
  func spellings() throws {
    let object = try read("{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(object.members.count == 2)
  }

  @Test("nesting is bounded, so that a line of brackets takes no stack")
  func depth() throws {
    let most = SystemProtocol.maximumDepth - 1
    let nested = String(repeating: "[", count: most) + String(repeating: "]", count: most)
    #expect(try read(#"{"a":\#(nested)}"#)["a"] == .other)
    #expect(throws: ProtocolFault.self) { try read(#"{"a":[\#(nested)]}"#) }
    #expect(throws: ProtocolFault.self) {
      try read(#"{"a":"# + String(repeating: "{\"a\":", count: 600))
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
