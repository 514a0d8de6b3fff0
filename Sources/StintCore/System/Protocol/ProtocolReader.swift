/// Reads one JSON object from the bytes of a line.
struct ProtocolReader {
  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads the object that is the whole line.
  mutating func object() throws(ProtocolFault) -> [(name: String, value: ProtocolObject.Value)] {
    skipSpace()
    let members = try objectBody(depth: 1)
    skipSpace()
    guard position == bytes.count else { throw ProtocolFault("something follows the object") }
    return members
  }

  private mutating func objectBody(
    depth: Int
  ) throws(ProtocolFault) -> [(name: String, value: ProtocolObject.Value)] {
    try expect(UInt8(ascii: "{"), "an object begins with {")
    var members: [(name: String, value: ProtocolObject.Value)] = []
    // By its bytes: to Swift two spellings of one accent are equal, to JSON they are two names.
    var names: Set<[UInt8]> = []
    skipSpace()
    if takes(UInt8(ascii: "}")) { return members }
    while true {
      skipSpace()
      let name = try string()
      guard names.insert(Array(name.utf8)).inserted else {
        throw ProtocolFault("a member comes twice")
      }
      skipSpace()
      try expect(UInt8(ascii: ":"), "a colon follows the name of a member")
      skipSpace()
      let value = try value(depth: depth)
      if let value { members.append((name, value)) }
      skipSpace()
      if takes(UInt8(ascii: "}")) { return members }
      try expect(UInt8(ascii: ","), "a comma or } follows a member")
    }
  }

  /// Reads a value; nil for null.
  private mutating func value(depth: Int) throws(ProtocolFault) -> ProtocolObject.Value? {
    guard position < bytes.count else { throw ProtocolFault("the line ends within the object") }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      return .text(try string())
    case UInt8(ascii: "{"):
      try checkDepth(depth)
      _ = try objectBody(depth: depth + 1)
      return .other
    case UInt8(ascii: "["):
      try checkDepth(depth)
      try list(depth: depth + 1)
      return .other
    case UInt8(ascii: "t"):
      try word("true")
      return .truth(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .truth(false)
    case UInt8(ascii: "n"):
      try word("null")
      return nil
    case _:
      return try number()
    }
  }

  private func checkDepth(_ depth: Int) throws(ProtocolFault) {
    guard depth < SystemProtocol.maximumDepth else {
      throw ProtocolFault("it is nested more than \(SystemProtocol.maximumDepth) deep")
    }
  }

  private mutating func list(depth: Int) throws(ProtocolFault) {
    position += 1
    skipSpace()
    if takes(UInt8(ascii: "]")) { return }
    while true {
      skipSpace()
      _ = try value(depth: depth)
      skipSpace()
      if takes(UInt8(ascii: "]")) { return }
      try expect(UInt8(ascii: ","), "a comma or ] follows an element")
    }
  }

  private mutating func number() throws(ProtocolFault) -> ProtocolObject.Value {
    let start = position
    _ = takes(UInt8(ascii: "-"))
    let leadsWithZero = position < bytes.count && bytes[position] == UInt8(ascii: "0")
    let whole = try digits()
    guard whole == 1 || !leadsWithZero else {
      throw ProtocolFault("a number begins with zero")
    }
    var isWhole = true
    if takes(UInt8(ascii: ".")) {
      isWhole = false
      _ = try digits()
    }
    if takes(UInt8(ascii: "e")) || takes(UInt8(ascii: "E")) {
      isWhole = false
      if !takes(UInt8(ascii: "+")) { _ = takes(UInt8(ascii: "-")) }
      _ = try digits()
    }
    guard isWhole, let text = String(validating: bytes[start..<position], as: UTF8.self),
      let integer = Int64(text)
    else { return .other }
    return .integer(integer)
  }

  private mutating func digits() throws(ProtocolFault) -> Int {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
    {
      position += 1
    }
    guard position > start else { throw ProtocolFault("a value is expected") }
    return position - start
  }

  // MARK: Text

  private mutating func string() throws(ProtocolFault) -> String {
    try expect(UInt8(ascii: "\""), "a text begins with a quotation mark")
    var content: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else {
          throw ProtocolFault("a text is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        try escape(&content)
      case 0..<32:
        throw ProtocolFault("a text holds a control character")
      case _:
        content.append(byte)
      }
    }
    throw ProtocolFault("the line ends within a text")
  }

  private mutating func escape(_ content: inout [UInt8]) throws(ProtocolFault) {
    guard position < bytes.count else { throw ProtocolFault("the line ends within a text") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(8)
    case UInt8(ascii: "f"): content.append(12)
    case UInt8(ascii: "n"): content.append(10)
    case UInt8(ascii: "r"): content.append(13)
    case UInt8(ascii: "t"): content.append(9)
    case UInt8(ascii: "u"): try unicodeEscape(&content)
    case _: throw ProtocolFault("an escape is unknown")
    }
  }

  private mutating func unicodeEscape(_ content: inout [UInt8]) throws(ProtocolFault) {
    let first = try fourDigits()
    var code = UInt32(first)
    if (0xD800..<0xDC00).contains(first) {
      try expect(UInt8(ascii: "\\"), "half a surrogate pair")
      try expect(UInt8(ascii: "u"), "half a surrogate pair")
      let second = try fourDigits()
      guard (0xDC00..<0xE000).contains(second) else { throw ProtocolFault("half a surrogate pair") }
      code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw ProtocolFault("half a surrogate pair") }
    content += Array(String(Character(scalar)).utf8)
  }

  private mutating func fourDigits() throws(ProtocolFault) -> UInt16 {
    guard position + 4 <= bytes.count,
      let text = String(validating: bytes[position..<position + 4], as: UTF8.self),
      // UInt16 would also take a sign.
      text.allSatisfy(\.isHexDigit), let number = UInt16(text, radix: 16)
    else { throw ProtocolFault("an escape is cut off") }
    position += 4
    return number
  }

  // MARK: Bytes

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        position += 1
      case _:
        return
      }
    }
  }

  private mutating func takes(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ byte: UInt8, _ rule: String) throws(ProtocolFault) {
    guard takes(byte) else { throw ProtocolFault("it is not an object of JSON: \(rule)") }
  }

  private mutating func word(_ text: StaticString) throws(ProtocolFault) {
    for byte in String(describing: text).utf8 {
      try expect(byte, "only true, false and null are words")
    }
  }
}
