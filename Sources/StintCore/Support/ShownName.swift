/// A name of any bytes as people can read it: what is not UTF-8 stands there as `\\xNN`.
package struct ShownName {
  /// The text; it names nothing if a byte was no text.
  package let text: String

  /// Takes the bytes of a name.
  package init(_ bytes: some Collection<UInt8>) {
    var (text, rest) = ("", bytes[...])
    while let byte = rest.first {
      let lengths = 1...min(4, rest.count)
      if let length = lengths.first(where: {
        String(validating: rest.prefix($0), as: UTF8.self) != nil
      }) {
        text += String(decoding: rest.prefix(length), as: UTF8.self)
        rest = rest.dropFirst(length)
      } else {
        text += "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        rest = rest.dropFirst()
      }
    }
    self.text = text
  }
}
