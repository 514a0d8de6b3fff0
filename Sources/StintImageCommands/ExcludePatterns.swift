#if Images
import Glibc
import StintCore

/// What `--exclude` leaves out of folders: names with `*`, `?` and `[a-z]`.
struct ExcludePatterns {
  /// The names of each pattern; `**` stands for any number of them.
  private let patterns: [[String]]

  /// Reads patterns.
  ///
  /// - Throws: ``StintError`` with the code `usage` for one without a name.
  init(_ texts: [String]) throws(StintError) {
    patterns = try texts.map { text throws(StintError) in
      let names = FilePath(text).parts.map(\.text)
      guard !names.isEmpty else {
        throw StintError(.usage, "--exclude \"\(text)\" has no name, so nothing would be left out.")
      }
      // A pattern that has a slash begins at the folder.
      let isName = !FilePath(text).withoutLastSlashes.text.utf8.contains(UInt8(ascii: "/"))
      return isName ? ["**"] + names : names
    }
  }

  /// Whether a path below the folder is left out, with all that is below it.
  func has(_ path: FilePath) -> Bool {
    guard !patterns.isEmpty else { return false }
    // In the C locale a question mark is one byte.
    let locale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    let former = uselocale(locale)
    defer {
      uselocale(former)
      if let locale { freelocale(locale) }
    }
    let names = path.parts.map(\.text)
    return patterns.contains { Self.matches($0[...], names[...]) }
  }

  private static func matches(
    _ pattern: ArraySlice<String>, _ names: ArraySlice<String>
  ) -> Bool {
    guard let first = pattern.first else { return names.isEmpty }
    let rest = pattern.dropFirst()
    if first == "**" {
      return (names.startIndex...names.endIndex).contains { matches(rest, names[$0...]) }
    }
    guard let name = names.first, fnmatch(first, name, 0) == 0 else { return false }
    return matches(rest, names.dropFirst())
  }
}
#endif
