extension WorkProgress {
  /// The longest progress file that is read, in bytes.
  package static let longestText = 4096

  /// Reads what a command wrote into its progress file: a share from 0 to 1 or per cent with a
  /// sign, and a word or two on what it is doing.
  ///
  /// `0.42`, `42%`, `0.42 rendering frame 7`. Only the first line counts, so that a file that is
  /// being written is read as far as it goes.
  ///
  /// - Parameter text: The file's beginning.
  package init?(commandText text: String) {
    let line = text.prefix { !$0.isNewline }
    let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
    guard var number = words.first else { return nil }
    let isPercent = number.last == "%"
    if isPercent { number.removeLast() }
    // Double reads words such as "nan" as well.
    guard number.utf8.first.map({ (48...57).contains($0) || $0 == 46 }) ?? false,
      let value = Double(number), value.isFinite
    else { return nil }
    let phase = words.count > 1 ? String(words[1].prefix(60)) : ""
    self.init(fraction: isPercent ? value / 100 : value, phase: phase)
  }
}
