/// Help for a verb, or for all of them, as text for a terminal of some width.
package enum HelpText {
  /// Renders the help of one verb in 50 to 100 columns, whatever the width.
  package static func render(
    _ verb: VerbSpecification, program: String = "stint", width: Int
  ) -> String {
    let width = min(max(width, 50), 100)
    var lines = verb.usage.enumerated().map { index, form in
      (index == 0 ? "Usage: " : "       ") + program + " " + form
    }
    lines += ["", verb.summary + "."]
    let labels = labelWidth(verb.options.map(label(of:)), width: width)
    for group in OptionSpecification.Group.allCases {
      let options = verb.options.filter { $0.group == group }
      guard !options.isEmpty else { continue }
      lines += ["", group.rawValue + ":"]
      let rows = options.map { (label: label(of: $0), text: sentence(of: $0)) }
      lines += table(rows, labels: labels, width: width)
    }
    if !verb.examples.isEmpty {
      lines += ["", "Examples:"]
      for example in verb.examples {
        lines += ["  " + example.command]
        lines += wrapped(example.meaning, width: width - 6).map { "      " + $0 }
      }
    }
    lines += ["", "Exit status:"]
    lines += table(verb.exitStatuses.map { ($0.status, $0.meaning) }, width: width)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func label(of option: OptionSpecification) -> String {
    let short = option.letter.map { "-\($0), " } ?? "    "
    return short + option.usage
  }

  private static func sentence(of option: OptionSpecification) -> String {
    option.help + (option.environment.map { " [$\($0)]" } ?? "")
  }

  /// The columns for labels: those of the longest that does not take too much from the texts.
  private static func labelWidth(_ labels: [String], width: Int) -> Int {
    labels.map(\.count).filter { $0 <= min(27, width / 2 - 6) }.max() ?? 0
  }

  /// Two columns; a label too long for the first stands on a line of its own.
  static func table(
    _ rows: [(label: String, text: String)], labels: Int? = nil, width: Int
  ) -> [String] {
    let column = (labels ?? labelWidth(rows.map(\.label), width: width)) + 4
    return rows.flatMap { label, text in
      let texts = wrapped(text, width: width - column)
      let indent = String(repeating: " ", count: column)
      if label.count > column - 4 {
        return ["  " + label] + texts.map { indent + $0 }
      }
      let padding = String(repeating: " ", count: column - 2 - label.count)
      return ["  " + label + padding + (texts.first ?? "")]
        + texts.dropFirst().map { indent + $0 }
    }
  }

  /// Breaks a text at blanks into lines of at most the width; a longer word stays whole.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
