extension JournalFields {
  /// Reads a line as this version writes it: one flat object without escapes.
  ///
  /// A job may have been taken up ten thousand times, and every start reads the whole journal: this is ten times
  /// as fast as the general decoder, which reads what this one declines.
  ///
  /// - Parameter line: The line without its newline.
  init?(plainLine line: UnsafeBufferPointer<UInt8>) {
    self.init()
    var scanner = PlainScanner(bytes: line)
    var seen: [String] = []
    seen.reserveCapacity(16)
    guard scanner.skip("{") else { return nil }
    repeat {
      // Which of two members of one name counts is for the general reader to say.
      guard let name = scanner.text(), scanner.skip(":"), !seen.contains(name) else { return nil }
      seen.append(name)
      switch name {
      case "event", "time", "bootId", "reason", "denial", "message", "file", "why", "checksum",
        "cause":
        guard let value = scanner.text() else { return nil }
        set(name, to: value)
      case "openTasks":
        guard let value = scanner.list() else { return nil }
        openTasks = value
      case _:
        guard let value = scanner.number(), set(name, toNumber: value) else { return nil }
      }
    } while scanner.skip(",")
    let required = ["event", "unixSeconds", "bootId", "bootSeconds", "pid"]
    guard scanner.skip("}"), scanner.isAtEnd, required.allSatisfy(seen.contains) else { return nil }
  }

  private mutating func set(_ name: String, to value: String) {
    switch name {
    case "event": event = value
    case "bootId": bootId = value
    case "reason": reason = value
    case "denial": denial = value
    case "message": message = value
    case "file": file = value
    case "why": why = value
    case "checksum": checksum = value
    case "cause": cause = value
    case _: break
    }
  }

  /// False if the name is unknown or the number is not of its type.
  private mutating func set(_ name: String, toNumber value: Substring) -> Bool {
    func store<Number>(_ number: Number?, _ field: inout Number?) -> Bool {
      field = number
      return number != nil
    }
    switch name {
    case "unixSeconds": return Double(value).map { unixSeconds = $0 } != nil
    case "bootSeconds": return Double(value).map { bootSeconds = $0 } != nil
    case "pid": return Int32(value).map { pid = $0 } != nil
    case "budgetSeconds": return store(Double(value), &budgetSeconds)
    case "workTimeSeconds": return store(Double(value), &workTimeSeconds)
    case "deadlineBootSeconds": return store(Double(value), &deadlineBootSeconds)
    case "tookSeconds": return store(Double(value), &tookSeconds)
    case "fraction": return store(Double(value), &fraction)
    case "savedSeconds": return store(Double(value), &savedSeconds)
    case "lostSeconds": return store(Double(value), &lostSeconds)
    case "restoredSequence": return store(UInt64(value), &restoredSequence)
    case "sequence": return store(UInt64(value), &sequence)
    case "sizeBytes": return store(Int(value), &sizeBytes)
    case "signal": return store(Int32(value), &signal)
    case "errno": return store(Int32(value), &errno)
    case _: return false
    }
  }
}

/// The pieces of a flat JSON object.
private struct PlainScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// A text without escapes or control characters.
  mutating func text() -> String? {
    guard skip("\"") else { return nil }
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 32 else { return nil }
      index += 1
    }
    let text = String(validating: bytes[start..<index], as: UTF8.self)
    return skip("\"") ? text : nil
  }

  /// A number as JSON writes it: Swift's initialisers read more, and what this reader takes the general one must take.
  mutating func number() -> Substring? {
    let start = index
    _ = skip("-")
    guard skip("0") || skipDigits() else { return nil }
    if skip(".") {
      guard skipDigits() else { return nil }
    }
    if skip("e") {
      _ = skip("+") || skip("-")
      guard skipDigits() else { return nil }
    }
    return Substring(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skipDigits() -> Bool {
    let start = index
    while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
      index += 1
    }
    return index > start
  }

  mutating func list() -> [String]? {
    guard skip("[") else { return nil }
    if skip("]") { return [] }
    var result: [String] = []
    repeat {
      guard let text = text() else { return nil }
      result.append(text)
    } while skip(",")
    return skip("]") ? result : nil
  }
}
