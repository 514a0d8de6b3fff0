import StintCore
package import StintRuntime

/// What stood on a command line: options by name and operands in order.
package struct ParsedOptions: Hashable, Sendable {
  /// An option's argument and where it came from.
  package struct Value: Hashable, Sendable {
    /// The argument; empty for a flag.
    package var text: String
    /// The option or the environment variable, for messages.
    package var source: String
  }

  /// What is not an option, in order.
  package var operands: [String] = []
  /// Lists of values, each behind the word that began it.
  package var lists: [String] = []

  private var given: [String: Value] = [:]
  private var repeated: [String: [String]] = [:]
  private let known: Set<String>

  /// Creates the empty command line of a verb; variables of the environment stand in for options
  /// that are not given.
  package init(specifications: [OptionSpecification], environment: [String: String] = [:]) {
    known = Set(specifications.map(\.name))
    for option in specifications {
      // An empty variable counts as not set, as it does for XDG's variables.
      guard let variable = option.environment, let text = environment[variable], !text.isEmpty
      else { continue }
      given[option.name] = Value(text: text, source: "$" + variable)
    }
  }

  /// Takes up an option that was found.
  ///
  /// An option given twice with two values is refused rather than decided by its place: a script
  /// that appends its own budget to somebody else's should hear of it.
  package mutating func note(_ option: OptionSpecification, text: String?) throws {
    let value = Value(text: text ?? "", source: option.spelling)
    if option.argument != nil, text?.isEmpty ?? !option.isArgumentOptional {
      throw StintError(.usage, "\(option.spelling) is empty; write \(option.usage).")
    }
    if option.isRepeatable { repeated[option.name, default: []].append(value.text) }
    if !option.isRepeatable, let before = given[option.name], before.source == value.source,
      !before.text.utf8.elementsEqual(value.text.utf8)
    {
      throw StintError(
        .usage,
        "\(option.spelling) is given twice, as \"\(before.text)\" and \"\(value.text)\"; give it once."
      )
    }
    given[option.name] = value
  }

  /// Whether a flag, or an option with any argument, was given.
  package func has(_ name: String) -> Bool {
    value(name) != nil
  }

  /// Whether the command line itself gives an option, and not a variable of the environment.
  package func gives(_ option: OptionSpecification) -> Bool {
    value(option.name)?.source == option.spelling
  }

  /// An option's argument.
  package func value(_ name: String) -> Value? {
    given[name]
  }

  /// The arguments of an option that may be given more than once, in order.
  package func texts(_ name: String) -> [String] {
    repeated[name] ?? []
  }

  /// Whether the verb has such an option at all.
  package func knows(_ name: String) -> Bool {
    known.contains(name)
  }
}

extension ParsedOptions {
  /// An option's argument as it was written.
  package func text(_ name: String) -> String? {
    value(name)?.text
  }

  /// An option's argument as a duration; nil if the option is not given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  package func duration(
    _ name: String, least: Duration = .zero, most: Duration = .nanoseconds(Int64.max)
  ) throws -> Duration? {
    guard let value = value(name) else { return nil }
    let duration: Duration
    do {
      duration = try Duration(text: value.text)
    } catch {
      throw StintError(.usage, "\(value.source) \(error).")
    }
    guard duration >= least else {
      throw StintError(
        .usage, "\(value.source) \(value.text) is too short; the least is \(least.compactText).")
    }
    guard duration <= most else {
      throw StintError(
        .usage, "\(value.source) \(value.text) is too long; the most is \(most.compactText).")
    }
    return duration
  }

  /// An option's argument as a whole number in a range.
  package func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let value = value(name) else { return nil }
    let digits = value.text.first == "-" ? value.text.dropFirst() : value.text[...]
    guard !digits.isEmpty,
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw value.refusal("is not a whole number; write digits only, such as 1000.")
    }
    guard let number = Int(value.text), range.contains(number) else {
      throw StintError(
        .usage,
        "\(value.source) \(value.text.prefix(60)) is out of range; it goes from "
          + "\(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// An option's argument as a part of a whole, `K/N`.
  package func shard(_ name: String) throws -> Shard? {
    guard let value = value(name) else { return nil }
    if let shard = Shard(text: value.text) { return shard }
    throw StintError(
      .usage,
      "\(value.source) \(value.text.prefix(60)) is no part; write K/N with K from 1 to N and N at "
        + "most \(Shard.most), such as \(value.source) 2/8.")
  }

  /// An option's argument as one of a few words.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, as type: Choice.Type = Choice.self
  ) throws -> Choice? where Choice.RawValue == String {
    guard let value = value(name) else { return nil }
    if let choice = Choice(rawValue: value.text.lowercased()) { return choice }
    throw unknown(value, among: Choice.allCases.map(\.rawValue))
  }

  /// The words of an option that may be given more than once, each time with several between
  /// commas; nil if it is not given.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a word that is none of a few.
  func words(_ name: String, among known: [String]) throws -> Set<String>? {
    guard let source = value(name)?.source else { return nil }
    let words = texts(name).flatMap { text in
      text.split(separator: ",", omittingEmptySubsequences: false).map { $0.lowercased() }
    }
    for word in words where !known.contains(word) {
      throw unknown(Value(text: word, source: source), among: known)
    }
    return Set(words)
  }

  /// Puts the name of an option or operand before the sentence of the type that read its value.
  func naming<Value>(_ name: String, _ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch let error as StintError {
      throw error.about(name)
    }
  }

  /// The refusal of a word that is none of a few.
  func unknown(_ value: Value, among names: [String]) -> StintError {
    let advice =
      NearestName.find(value.text.lowercased(), among: names)
      .map { " Did you mean \($0)?" } ?? ""
    let list = names.joined(separator: ", ")
    return value.refusal("is unknown.\(advice) Write one of \(list).")
  }
}

extension ParsedOptions.Value {
  /// The refusal of what was written.
  func refusal(_ why: String) -> StintError {
    StintError(.usage, "\(source) \"\(text.prefix(60))\" \(why)")
  }
}
