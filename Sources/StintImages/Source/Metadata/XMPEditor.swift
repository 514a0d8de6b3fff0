#if Images
/// Changes properties of XMP, which is XML in UTF-8 (ISO 16684-1).
///
/// Properties are attributes or elements. All other bytes stay as they are, and the length stays:
/// what goes is overwritten with spaces, which XMP has between its elements anyway.
struct XMPEditor {
  /// What becomes of a property.
  enum Change: Hashable {
    case none
    /// Another value; the property goes if it has no room for that.
    case value(String)
    case removed
  }

  private var bytes: [UInt8]
  private var place = 0
  /// An element that is changed: how many are open with it, its first byte, that of its content,
  /// and the change.
  private var changed: (depth: Int, start: Int, content: Int, change: Change)?
  private var depth = 0
  private let change: (Substring) -> Change

  private init(_ bytes: [UInt8], _ change: @escaping (Substring) -> Change) {
    (self.bytes, self.change) = (bytes, change)
  }

  /// Changes properties by their names, such as `tiff:Orientation`.
  ///
  /// - Parameters:
  ///   - xmp: The XML.
  ///   - change: What becomes of a property.
  /// - Returns: XML of the same length; nil if it is not well formed, or is not UTF-8.
  static func edited(_ xmp: [UInt8], _ change: (Substring) -> Change) -> [UInt8]? {
    withoutActuallyEscaping(change) { change in
      var editor = XMPEditor(xmp, change)
      return !xmp.contains(0) && editor.run() ? editor.bytes : nil
    }
  }

  private mutating func run() -> Bool {
    while let mark = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = mark
      let others = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("</", ">")]
      if let (opening, closing) = others.first(where: { starts(with: $0.0) }) {
        guard skip(past: closing) else { return false }
        if opening == "</" { endElement(at: mark) }
      } else {
        // A document type could give anything another meaning.
        guard !starts(with: "<!"), beginElement() else { return false }
      }
    }
    return depth == 0
  }

  // MARK: Elements

  /// Passes over a tag that begins an element, and changes its attributes.
  private mutating func beginElement() -> Bool {
    let start = place
    place += 1
    let name = word()
    guard !name.isEmpty else { return false }
    while true {
      let gap = place
      skipSpaces()
      if starts(with: "/>") {
        place += 2
        if changed == nil, change(name) == .removed { blank(start..<place) }
        return true
      }
      if starts(with: ">") {
        place += 1
        depth += 1
        let change = change(name)
        if changed == nil, change != .none { changed = (depth, start, place, change) }
        return true
      }
      guard attribute(after: gap) else { return false }
    }
  }

  private mutating func attribute(after gap: Int) -> Bool {
    let name = word()
    skipSpaces()
    guard !name.isEmpty, starts(with: "=") else { return false }
    place += 1
    skipSpaces()
    guard place < bytes.count, bytes[place] == 0x22 || bytes[place] == 0x27 else { return false }
    let quote = bytes[place]
    let value = place + 1
    guard let end = bytes[value...].firstIndex(of: quote) else { return false }
    place = end + 1
    guard changed == nil else { return true }
    switch change(name) {
    case .none: break
    case .removed: blank(gap..<place)
    case .value(let text):
      put(Array(text.utf8) + [quote], into: value..<place, orBlank: gap..<place)
    }
    return true
  }

  /// Changes an element whose last tag was passed.
  private mutating func endElement(at tag: Int) {
    defer { depth -= 1 }
    guard let (depth, start, content, change) = changed, depth == self.depth else { return }
    changed = nil
    switch change {
    case .none: break
    case .removed: blank(start..<place)
    case .value(let text):
      put(Array(text.utf8) + bytes[tag..<place], into: content..<place, orBlank: start..<place)
    }
  }

  // MARK: Bytes

  private mutating func blank(_ range: Range<Int>) {
    for index in range { bytes[index] = UInt8(ascii: " ") }
  }

  private mutating func put(_ new: [UInt8], into range: Range<Int>, orBlank whole: Range<Int>) {
    guard new.count <= range.count else { return blank(whole) }
    blank(range)
    bytes.replaceSubrange(range.lowerBound..<range.lowerBound + new.count, with: new)
  }

  private func starts(with text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

  /// Passes over everything up to a text, and over that; false if it does not follow.
  private mutating func skip(past text: String) -> Bool {
    while place < bytes.count {
      if starts(with: text) {
        place += text.utf8.count
        return true
      }
      place += 1
    }
    return false
  }

  private mutating func skipSpaces() {
    while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
  }

  private mutating func word() -> Substring {
    let start = place
    while place < bytes.count, !Self.isSpace(bytes[place]), !Self.ends.contains(bytes[place]) {
      place += 1
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)[...]
  }

  private static let ends = Array("/>=<'\"".utf8)

  private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }
}
#endif
