extension WorkProgress {
  /// The longest progress file that is read, in bytes.
  package static let longestText = 4096

  /// Reads what a command wrote into its progress file: how much is done, and a word or two on what
  /// it is doing.
  ///
  /// `0.42`, `42%`, `42 %`, `42`, `0.42 rendering frame 7`. A number up to 1 is a share, and a
  /// larger one per cent. What is below 0 or above 100 % cannot be read. Only the first line
  /// counts, so that a file that is being written is read as far as it goes.
  ///
  /// - Parameter text: The file's beginning.
  package init?(commandText text: String) {
    let line = text.prefix { !$0.isNewline }
    var words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
    guard var number = words.first else { return nil }
    var isPercent = number.last == "%"
    if isPercent {
      number.removeLast()
    } else if let rest = words.dropFirst().first, rest.first == "%" {
      isPercent = true
      words[1] = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    }
    // Double reads words such as "nan" as well.
    guard number.utf8.first.map({ (48...57).contains($0) || $0 == 46 }) ?? false,
      let value = Double(number), value.isFinite
    else { return nil }
    let fraction = isPercent || value > 1 ? value / 100 : value
    guard fraction <= 1 else { return nil }
    self.init(fraction: fraction, phase: words.count > 1 ? String(words[1].prefix(60)) : "")
  }
}
