import StintCore
package import StintRuntime

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
      throw StintError(
        .usage,
        "\(value.source) \"\(value.text.prefix(60))\" is not a whole number; write digits only, "
          + "such as 1000.")
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
    return StintError(
      .usage,
      "\(value.source) \"\(value.text.prefix(60))\" is unknown.\(advice) Write one of \(list).")
  }
}
