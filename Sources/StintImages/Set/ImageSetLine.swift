#if Images
import StintRuntime
package import StintCore

/// A line of the file `set`: what one input was, or what became of it.
///
/// Words separated by tabs. The last is the XXH3-128 of all before it, so a line that was cut or
/// has a flipped bit is not accepted.
enum ImageSetLine: Hashable, Sendable {
  /// The first line: how many inputs follow.
  case head(count: Int)
  /// What an input was when the work on it was decided; a later one for the same input begins it
  /// anew.
  case input(Int, ImageSetPlan.Item, SourceFile.Identity?)
  /// An input is another file than it was, with the same bytes.
  case same(Int, SourceFile.Identity)
  /// A result that is complete and durable, under its final name or about to get it.
  case done(ImageSetPlan.Unit, ImageSetResult)
  /// An input that failed.
  case failed(Int, StintError)

  private static let first = "stint-image-set"
  private static let version = "1"

  /// The bytes, with a newline.
  var encoded: [UInt8] {
    let text = words.map(Self.escaped).joined(separator: "\t")
    return Array("\(text)\t\(XXH3Checksum.digest(Array(text.utf8)))\n".utf8)
  }

  private var words: [String] {
    switch self {
    case .head(let count):
      return [Self.first, Self.version, String(count)]
    case .input(let index, let item, let identity):
      let numbers = identity.map(Self.numbers) ?? Array(repeating: "-", count: 5)
      return ["input", String(index)] + numbers
        + [item.request.canonicalText, item.stem.text, item.ending, item.path.text]
    case .same(let index, let identity):
      return ["same", String(index)] + Self.numbers(identity)
    case .done(let unit, let result):
      return [
        "done", String(unit.item), String(unit.frame), String(result.frames),
        String(result.sizeBytes), result.checksum.description, String(result.inode),
        String(result.modified), result.source.description,
      ]
    case .failed(let index, let error):
      return [
        "failed", String(index), error.code.description, String(error.errno), error.message,
      ] + error.remedies.map(\.description)
    }
  }

  /// Reads a line without its newline; nil if it is not valid.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard let tab = bytes.lastIndex(of: UInt8(ascii: "\t")) else { return nil }
    let (body, checksum) = (Array(bytes[..<tab]), bytes[(tab + 1)...])
    guard XXH3Checksum.digest(body).description.utf8.elementsEqual(checksum) else { return nil }
    let words = String(decoding: body, as: UTF8.self)
      .split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescaped)
    guard let line = Self.line(words) else { return nil }
    self = line
  }

  private static func line(_ words: [String]) -> ImageSetLine? {
    switch (words.first, words.count) {
    case (first, 3):
      guard words[1] == version, let count = Int(words[2]), count >= 0 else { return nil }
      return .head(count: count)
    case ("input", 11):
      guard let index = Int(words[1]),
        let request = try? OutputRequest(canonicalText: words[7])
      else { return nil }
      let item = ImageSetPlan.Item(
        path: FilePath(words[10]), stem: FilePath(words[8]), ending: words[9], request: request)
      if words[2] == "-" { return .input(index, item, nil) }
      return identity(words[2...6]).map { .input(index, item, $0) }
    case ("same", 7):
      guard let index = Int(words[1]), let identity = identity(words[2...6]) else { return nil }
      return .same(index, identity)
    case ("done", 9):
      guard let item = Int(words[1]), let frame = Int(words[2]), let frames = Int(words[3]),
        let sizeBytes = Int(words[4]), let checksum = Checksum128(hex: words[5]),
        let inode = UInt64(words[6]), let modified = Int64(words[7]),
        let source = Checksum128(hex: words[8]), frame >= 0, frame < frames
      else { return nil }
      return .done(
        .init(item: item, frame: frame),
        ImageSetResult(
          frames: frames, sizeBytes: sizeBytes, checksum: checksum, inode: inode,
          modified: modified, source: source))
    case ("failed", 5...):
      guard let index = Int(words[1]), let errno = Int32(words[3]) else { return nil }
      return .failed(
        index,
        StintError(
          StintError.Code(description: words[2]), words[4],
          remedies: words[5...].map { Remedy($0) },
          errno: errno))
    case _:
      return nil
    }
  }

  private static func numbers(_ identity: SourceFile.Identity) -> [String] {
    [
      String(identity.device), String(identity.inode), String(identity.sizeBytes),
      String(identity.modified), String(identity.changed),
    ]
  }

  private static func identity(_ words: ArraySlice<String>) -> SourceFile.Identity? {
    let words = Array(words)
    guard let device = UInt64(words[0]), let inode = UInt64(words[1]),
      let sizeBytes = Int(words[2]), let modified = Int64(words[3]),
      let changed = Int64(words[4])
    else { return nil }
    return SourceFile.Identity(
      device: device, inode: inode, sizeBytes: sizeBytes, modified: modified, changed: changed)
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 32 || $0 == UInt8(ascii: "\\") }) else { return text }
    return text.escaped(["\\": "\\\\", "\t": "\\t", "\n": "\\n"])
  }

  private static func unescaped(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var result = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch (isEscaped, scalar) {
      case (false, "\\"):
        isEscaped = true
        continue
      case (true, "t"): result.unicodeScalars.append("\t")
      case (true, "n"): result.unicodeScalars.append("\n")
      case (_, _): result.unicodeScalars.append(scalar)
      }
      isEscaped = false
    }
    return result
  }
}

/// A result that is complete and durable.
package struct ImageSetResult: Hashable, Sendable {
  /// How many frames of its input become files.
  package var frames: Int
  /// The length of the file.
  package var sizeBytes: Int
  /// Its checksum.
  package var checksum: Checksum128
  /// The file's number, which renaming does not change.
  package var inode: UInt64
  /// When it was written, in nanoseconds since 1970; nor this.
  package var modified: Int64
  /// The checksum of the input.
  package var source: Checksum128
}
#endif
