/// Reads one JSON object from bytes.
struct JSONReader {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private var position = 0

  init(bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  /// Reads the object that is the whole text.
  mutating func whole() throws(JSONFault) -> JSONObject {
    skipSpace()
    let object = try object(depth: 1)
    skipSpace()
    guard position == bytes.count else { throw JSONFault("something follows the object") }
    return object
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONObject {
    try expect(UInt8(ascii: "{"), "an object begins with {")
    var members: [JSONObject.Member] = []
    var names = SeenNames()
    skipSpace()
    if takes(UInt8(ascii: "}")) { return JSONObject(members: []) }
    while true {
      skipSpace()
      let name = try string()
      guard names.insert(name) else { throw JSONFault("a member comes twice") }
      skipSpace()
      try expect(UInt8(ascii: ":"), "a colon follows the name of a member")
      skipSpace()
      if let value = try value(depth: depth) { members.append(.init(name: name, value: value)) }
      skipSpace()
      if takes(UInt8(ascii: "}")) { return JSONObject(members: members) }
      try expect(UInt8(ascii: ","), "a comma or } follows a member")
    }
  }

  /// Reads a value; nil for null.
  private mutating func value(depth: Int) throws(JSONFault) -> JSONValue? {
    guard position < bytes.count else { throw JSONFault("the text ends within the object") }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      return .text(try string())
    case UInt8(ascii: "{"):
      try checkDepth(depth)
      return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["):
      try checkDepth(depth)
      return .list(try list(depth: depth + 1))
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
      return .number(try number())
    }
  }

  private func checkDepth(_ depth: Int) throws(JSONFault) {
    guard depth < maximumDepth else {
      throw JSONFault("it is nested more than \(maximumDepth) deep")
    }
  }

  private mutating func list(depth: Int) throws(JSONFault) -> [JSONValue] {
    position += 1
    skipSpace()
    var values: [JSONValue] = []
    if takes(UInt8(ascii: "]")) { return values }
    while true {
      skipSpace()
      values.append(try value(depth: depth) ?? .null)
      skipSpace()
      if takes(UInt8(ascii: "]")) { return values }
      try expect(UInt8(ascii: ","), "a comma or ] follows an element")
    }
  }

  /// Reads a number as it is written.
  private mutating func number() throws(JSONFault) -> String {
    let start = position
    _ = takes(UInt8(ascii: "-"))
    let leadsWithZero = position < bytes.count && bytes[position] == UInt8(ascii: "0")
    let whole = try digits()
    guard whole == 1 || !leadsWithZero else { throw JSONFault("a number begins with zero") }
    if takes(UInt8(ascii: ".")) { _ = try digits() }
    if takes(UInt8(ascii: "e")) || takes(UInt8(ascii: "E")) {
      if !takes(UInt8(ascii: "+")) { _ = takes(UInt8(ascii: "-")) }
      _ = try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(JSONFault) -> Int {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
    {
      position += 1
    }
    guard position > start else { throw JSONFault("a value is expected") }
    return position - start
  }

  // MARK: Text

  private mutating func string() throws(JSONFault) -> String {
    try expect(UInt8(ascii: "\""), "a text begins with a quotation mark")
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        let text = String(validating: bytes[start..<position], as: UTF8.self)
        position += 1
        guard let text else { throw JSONFault("a text is not UTF-8") }
        return text
      case UInt8(ascii: "\\"):
        return try stringWithEscapes(from: start)
      case 0..<32:
        throw JSONFault("a text holds a control character")
      case _:
        position += 1
      }
    }
    throw JSONFault("the text ends within a string")
  }

  /// Reads on at the first escape of a text.
  private mutating func stringWithEscapes(from start: Int) throws(JSONFault) -> String {
    var content = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else {
          throw JSONFault("a text is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        try escape(&content)
      case 0..<32:
        throw JSONFault("a text holds a control character")
      case _:
        content.append(byte)
      }
    }
    throw JSONFault("the text ends within a string")
  }

  private mutating func escape(_ content: inout [UInt8]) throws(JSONFault) {
    guard position < bytes.count else { throw JSONFault("the text ends within a string") }
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
    case _: throw JSONFault("an escape is unknown")
    }
  }

  private mutating func unicodeEscape(_ content: inout [UInt8]) throws(JSONFault) {
    let first = try fourDigits()
    var code = UInt32(first)
    if (0xD800..<0xDC00).contains(first) {
      try expect(UInt8(ascii: "\\"), "half a surrogate pair")
      try expect(UInt8(ascii: "u"), "half a surrogate pair")
      let second = try fourDigits()
      guard (0xDC00..<0xE000).contains(second) else { throw JSONFault("half a surrogate pair") }
      code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw JSONFault("half a surrogate pair") }
    content += Array(String(Character(scalar)).utf8)
  }

  private mutating func fourDigits() throws(JSONFault) -> UInt16 {
    guard position + 4 <= bytes.count,
      let text = String(validating: bytes[position..<position + 4], as: UTF8.self),
      // UInt16 would also take a sign.
      text.allSatisfy(\.isHexDigit), let number = UInt16(text, radix: 16)
    else { throw JSONFault("an escape is cut off") }
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

  private mutating func expect(_ byte: UInt8, _ rule: String) throws(JSONFault) {
    guard takes(byte) else { throw JSONFault("it is not an object of JSON: \(rule)") }
  }

  private mutating func word(_ text: StaticString) throws(JSONFault) {
    for byte in String(describing: text).utf8 {
      try expect(byte, "only true, false and null are words")
    }
  }
}

/// The names of one object so far.
///
/// Names are compared by their bytes: to Swift two spellings of one accent are equal, to JSON they
/// are two names.
private struct SeenNames {
  /// How many names are compared one by one.
  private static let few = 24
  private var first: [String] = []
  private var more: Set<[UInt8]> = []

  /// Whether the name is new.
  mutating func insert(_ name: String) -> Bool {
    if first.count < Self.few {
      for other in first where other == name && other.utf8.elementsEqual(name.utf8) { return false }
      first.append(name)
      return true
    }
    if more.isEmpty { more = Set(first.map { Array($0.utf8) }) }
    return more.insert(Array(name.utf8)).inserted
  }
}
