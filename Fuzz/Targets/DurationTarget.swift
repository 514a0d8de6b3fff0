import StintCore

/// Durations as text, in both directions.
///
/// The input is the text.
enum DurationTarget {
  private static let allowance = Allowance(
    peakBytes: (fixed: 4096, perByte: 16), totalBytes: (fixed: 16_384, perByte: 64))

  static func examine(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    guard let duration = allowance.accepted(input, { read(text) }) else { return }
    Plant.rare(text.hasPrefix("7") && text.hasSuffix("d"))
    require(duration >= .zero, "\(text) is less than nothing")
    require(duration.nanoseconds == .max || .nanoseconds(duration.nanoseconds) == duration, text)

    var exact = duration.secondsText(decimals: 9) + "s"
    if Plant.spoils { exact = "1" + exact }
    require(read(exact) == duration, "\(text) is written as \(exact), which is something else")

    // What is shown can be typed, and is never more than it stands for.
    guard let shown = read(duration.compactText) else {
      fatalError("\(text) is shown as \(duration.compactText), which cannot be read")
    }
    require(shown <= duration, "\(text) is shown as \(duration.compactText), which is more")
    require(duration - shown <= duration / 20, "\(text) is shown as \(duration.compactText)")
  }

  private static func read(_ text: String) -> Duration? {
    do {
      return try Duration(text: text)
    } catch {
      require(!error.description.isEmpty, "a refusal without words")
      return nil
    }
  }
}
