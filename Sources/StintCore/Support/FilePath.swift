/// A path, or a name in a folder, as the kernel compares it: byte by byte.
///
/// `String` compares characters: to it, `é` as one scalar and as two are equal, and a slash before
/// a combining accent is no slash. The kernel takes the first two for two files and the last for a
/// slash.
package struct FilePath: Hashable, Sendable {
  /// The text, for the C library, for JSON and for people.
  package let text: String

  package init(_ text: some StringProtocol) {
    self.text = String(text)
  }

  package static func == (left: FilePath, right: FilePath) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(text.utf8.count)
  }

  private static let slash = UInt8(ascii: "/")

  package var isEmpty: Bool { text.utf8.isEmpty }

  /// Whether it begins at the root.
  package var isAbsolute: Bool { text.utf8.first == Self.slash }

  /// Whether it ends with a slash, so that it can only be a folder.
  package var endsWithSlash: Bool { text.utf8.last == Self.slash }

  /// The same without slashes at its end; the root keeps its own.
  package var withoutLastSlashes: FilePath {
    var bytes = text.utf8[...]
    while bytes.count > 1, bytes.last == Self.slash { bytes.removeLast() }
    return FilePath(String(Substring(bytes)))
  }

  /// What stands before the last slash: the folder; nil where there is no slash.
  package var folder: FilePath? {
    guard let slash = text.utf8.lastIndex(of: Self.slash) else { return nil }
    return slash == text.startIndex ? "/" : FilePath(text[..<slash])
  }

  /// What stands behind the last slash; all of it where there is no slash.
  package var name: FilePath {
    guard let slash = text.utf8.lastIndex(of: Self.slash) else { return self }
    return FilePath(text[text.utf8.index(after: slash)...])
  }

  /// The names between the slashes.
  package var parts: [FilePath] {
    text.utf8.split(separator: Self.slash).map { FilePath(Substring($0)) }
  }

  /// Whether it lies below a folder, or is that folder.
  package func isWithin(_ folder: FilePath) -> Bool {
    guard text.utf8.starts(with: folder.text.utf8) else { return false }
    let rest = text.utf8.dropFirst(folder.text.utf8.count)
    return rest.isEmpty || folder.endsWithSlash || rest.first == Self.slash
  }

  /// A path below this one.
  package func appending(_ path: FilePath) -> FilePath {
    FilePath(text + (endsWithSlash ? "" : "/") + path.text)
  }

  /// The same from a folder on, if it is not absolute.
  package func from(_ folder: FilePath) -> FilePath {
    isAbsolute ? self : folder.appending(self)
  }
}

extension FilePath: CustomStringConvertible, ExpressibleByStringInterpolation {
  package var description: String { text }

  package init(stringLiteral text: String) {
    self.text = text
  }
}

extension FilePath: Comparable {
  package static func < (left: FilePath, right: FilePath) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
