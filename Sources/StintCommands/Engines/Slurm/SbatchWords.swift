import StintCore

/// Words that a user gives for `sbatch`, split as a shell splits them.
enum SbatchWords {
  /// Options that a chain gives itself, or that would take it out of reach, with the reason.
  private static let refused = [
    "array": "a chain is an array of its own; --links says how many slices it has at most",
    "requeue": "the next slice continues the work, and a job that is requeued waits for minutes",
    "open-mode": "all slices append to the log of the chain",
    "output": "what the slices print goes to the log of the chain, which stint status names",
    "wrap": "the chain has a script; --setup puts lines into it",
    "wait": "sbatch would not return before the end; stint watch follows a chain",
    "test-only": "nothing would be submitted; --dry-run shows the script and the command",
    "clusters": "the chain could not be followed there; run stint submit on that cluster",
  ]
  /// The same by their letters.
  private static let refusedLetters: [Character: String] = [
    "a": "array", "o": "output", "W": "wait", "M": "clusters",
  ]
  /// Options that take no argument, or one that follows an equals sign.
  private static let flags = [
    "contiguous", "exclusive", "get-user-env", "help", "hold", "ignore-pbs", "nice", "no-kill",
    "no-requeue", "overcommit", "oversubscribe", "parsable", "propagate", "quiet", "reboot",
    "spread-job", "usage", "use-min-nodes", "verbose", "version",
  ]
  private static let flagLetters = "HhkOQsvV"

  /// Splits words as a shell does, and expands nothing.
  ///
  /// - Throws: ``StintError`` with the code `usage` that names the option.
  static func split(_ text: String, of option: String) throws(StintError) -> [String] {
    guard !text.contains(where: \.isNewline) else {
      throw StintError(.usage, "\(option) has more than one line; write all words in one.")
    }
    do throws(BatchWords.Fault) {
      return try BatchWords.split(text[...])
    } catch {
      throw StintError(
        .usage, "\(option) \"\(text.prefix(60))\": column \(error.column): \(error.reason).")
    }
  }

  /// Splits words for the `sbatch` of a chain, and refuses what it cannot have.
  ///
  /// - Throws: ``StintError`` with the code `usage` that names the option.
  static func checked(_ text: String, of option: String) throws(StintError) -> [String] {
    let words = try split(text, of: option)
    try check(words, of: option)
    return words
  }

  /// Refuses words that conflict with a chain, and words that are no options: `sbatch` would take
  /// the first of these for the script.
  ///
  /// `sbatch` knows an option by the beginning of its name, too.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  static func check(_ words: [String], of option: String) throws(StintError) {
    var named: String?
    for word in words {
      if named != nil {
        named = nil
      } else if word.hasPrefix("--"), word != "--" {
        let name = String(word.dropFirst(2).prefix { $0 != "=" })
        if !flags.contains(name),
          let found = refused.keys.sorted().first(where: { $0.hasPrefix(name) })
        {
          throw conflict(word, found, option)
        }
        if !word.contains("="), !flags.contains(where: { $0.hasPrefix(name) }) { named = word }
      } else if word.hasPrefix("-"), word != "-", word != "--" {
        named = try argumentMissing(inLetters: word, option) ? word : nil
      } else {
        throw StintError(
          .usage,
          "\(option) has the word \"\(word.prefix(60))\", which is no option of sbatch; the script of a chain "
            + "is its own.")
      }
    }
    if let named {
      throw StintError(.usage, "\(option) ends with \(named), which needs an argument.")
    }
  }

  /// Whether the argument of short options that are written together is the next word.
  private static func argumentMissing(
    inLetters word: String, _ option: String
  ) throws(StintError) -> Bool {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      if let name = refusedLetters[letter] { throw conflict("-\(letter)", name, option) }
      guard flagLetters.contains(letter) else { return letters.isEmpty }
    }
    return false
  }

  private static func conflict(_ word: String, _ name: String, _ option: String) -> StintError {
    StintError(
      .usage,
      "\(option) cannot have \(word.prefix(60)): \(refused[name] ?? "a chain says that itself").")
  }
}
