package import StintCore

/// A line of JSON that carries its own checksum.
///
/// Its last member, `xxh3`, is the XXH3-128 of all bytes before that member's comma. So a line that
/// was cut or has a flipped bit is not accepted.
package enum SealedLine {
  /// The bytes, with a newline.
  package static func sealed(_ json: JSONLine) -> [UInt8] {
    let body = Array(json.object.utf8.dropLast())
    return body + seal(of: body) + [UInt8(ascii: "\n")]
  }

  /// Reads a line without its newline; nil if it is not whole.
  package static func object(_ line: some Collection<UInt8>) -> JSONObject? {
    let bytes = Array(line)
    let body = Array(bytes.dropLast(seal(of: []).count))
    guard bytes.dropFirst(body.count).elementsEqual(seal(of: body)) else { return nil }
    return try? JSONObject(bytes)
  }

  private static func seal(of body: [UInt8]) -> [UInt8] {
    Array(",\"xxh3\":\"\(XXH3Checksum.digest(body))\"}".utf8)
  }
}
