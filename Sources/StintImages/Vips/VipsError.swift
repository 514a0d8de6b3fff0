#if Images
import CVips
import Glibc
import StintCore

/// How libvips tells what went wrong: text in a buffer of the whole process.
enum VipsError {
  /// Takes what stands in libvips' error buffer and makes one error of it.
  ///
  /// - Parameters:
  ///   - action: What was being done, as it goes on after "libvips could not", for example "read
  ///     x.tif".
  ///   - code: The kind of failure.
  /// - Returns: One sentence with what was being done and libvips' words, and the number of the
  ///   error if it is one of the device.
  static func take(_ action: String, code: StintError.Code = .io) -> StintError {
    make(action, takeText(), code: code)
  }

  /// The same with words that were taken before.
  static func make(_ action: String, _ text: String, code: StintError.Code = .io) -> StintError {
    // libvips has the number only as text.
    let isOfTheDevice = text.contains(String(cString: strerror(EIO)))
    return StintError(
      code, "libvips could not \(namingFiles(action)): \(namingFiles(text)).",
      errno: isOfTheDevice ? EIO : 0)
  }

  /// The first lines in the error buffer as one line; the buffer is empty afterwards.
  ///
  /// All threads share the buffer, so the words of two images that fail at once are in it together,
  /// and who comes second finds none.
  static func takeText() -> String {
    guard let copy = vips_error_buffer_copy() else { return unknown }
    defer { g_free(copy) }
    return shortened(String(cString: copy))
  }

  static let unknown = "its reason cannot be told from those of other images"

  /// The first different lines of a text, which a damaged file can make thousands of.
  static func shortened(_ text: String) -> String {
    var seen: Set<String> = []
    let lines = text.split(whereSeparator: \.isNewline).map(trimmed)
      .filter { !$0.isEmpty && seen.insert($0).inserted }
    guard !lines.isEmpty else { return unknown }
    let (mostLines, mostBytes) = (3, 300)
    let shown = lines.prefix(mostLines).map { line in
      line.utf8.count > mostBytes
        ? String(decoding: line.utf8.prefix(mostBytes), as: UTF8.self) + "..." : line
    }
    let more = lines.count > mostLines ? " (and \(lines.count - mostLines) more)" : ""
    return shown.joined(separator: "; ") + more
  }

  private static func trimmed(_ line: Substring) -> String {
    var line = line
    while let last = line.last, last == "." || last.isWhitespace { line.removeLast() }
    return String(line)
  }

  /// A text with the names of files in the place of their descriptors.
  private static func namingFiles(_ text: String) -> String {
    let parts = text.split(separator: DescriptorPath.folder, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
      let number = part.prefix { $0.isASCII && $0.isNumber }
      let name = Int32(number).flatMap(DescriptorPath.name(of:)) ?? "the file"
      return text + name + part.dropFirst(number.count)
    }
  }
}
#endif
