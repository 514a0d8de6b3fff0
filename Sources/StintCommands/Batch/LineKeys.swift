import StintRuntime

/// The keys of many lines in eight bytes each: the hash of each key, mixed with its kind.
struct LineKeys: Hashable, Sendable {
  private var kinds: [String] = []

  /// The number of a key; nil for a text that is no key, and for a kind that is not known yet
  /// unless it is to be added.
  mutating func number(adding key: String) -> (kind: UInt8, number: UInt64)? {
    if let found = number(of: key) { return found }
    guard JobKey.isKey(key), kinds.count < Int(UInt8.max) else { return nil }
    kinds.append(String(key.dropLast(17)))
    return number(of: key)
  }

  /// The number of a key; nil if no key of its kind was added.
  func number(of key: String) -> (kind: UInt8, number: UInt64)? {
    guard JobKey.isKey(key), let hash = UInt64(key.suffix(16), radix: 16),
      let kind = kinds.firstIndex(where: {
        key.hasPrefix($0) && key.utf8.count == $0.utf8.count + 17
      })
    else { return nil }
    return (UInt8(kind), hash ^ Self.mark(of: UInt8(kind)))
  }

  /// The key with a number.
  func key(_ kind: UInt8, _ number: UInt64) -> String {
    let hash = String(number ^ Self.mark(of: kind), radix: 16)
    return kinds[Int(kind)] + "-" + String(repeating: "0", count: 16 - hash.count) + hash
  }

  private static func mark(of kind: UInt8) -> UInt64 { UInt64(kind) &* 0x9e37_79b9_7f4a_7c15 }
}
