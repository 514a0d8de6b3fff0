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
    let text = takeText()
    // libvips has the number only as text.
    let isOfTheDevice = text.contains(String(cString: strerror(EIO)))
    return StintError(
      code, "libvips could not \(action): \(text).", errno: isOfTheDevice ? EIO : 0)
  }

  /// The lines in the error buffer as one line; the buffer is empty afterwards.
  private static func takeText() -> String {
    guard let copy = vips_error_buffer_copy() else { return "it gave no reason" }
    defer { g_free(copy) }
    let lines = String(cString: copy).split(whereSeparator: \.isNewline).map(trimmed)
    var seen: Set<String> = []
    let text = lines.filter { !$0.isEmpty && seen.insert($0).inserted }.joined(separator: "; ")
    return text.isEmpty ? "it gave no reason" : text
  }

  private static func trimmed(_ line: Substring) -> String {
    var line = line
    while let last = line.last, last == "." || last.isWhitespace { line.removeLast() }
    return String(line)
  }
}
#endif
