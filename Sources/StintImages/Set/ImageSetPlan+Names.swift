#if Images
import StintCore
import StintRuntime

// What the results are called, where several inputs would have the same name.

extension ImageSetPlan {
  /// Refuses inputs whose results would have the same name.
  ///
  /// - Throws: ``StintError`` with the code `usage`; it names all of them, up to a number.
  static func checkNames(of items: [Item]) throws(StintError) {
    var places: [FilePath: [Int]] = [:]
    for (index, item) in items.enumerated() { places[item.name, default: []].append(index) }
    // In the order in which the inputs were named.
    let shared = places.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
      .map { $0.map { items[$0] } }
    guard !shared.isEmpty else { return }
    let repeated = shared.filter { items in items.allSatisfy { $0.path == items[0].path } }
    guard repeated.isEmpty else {
      throw StintError(
        .usage,
        "\(repeated.count == 1 ? "The input" : "These inputs:") "
          + listing(repeated.map { "\($0[0].path)" })
          + " \(repeated.count == 1 ? "is" : "are") given "
          + "twice; name \(repeated.count == 1 ? "it" : "each") once.")
    }
    let phrases = shared.map { items in
      "\(listing(items.map { "\($0.path)" }, and: " and ")) would "
        + "\(items.count == 2 ? "both" : "all") be \(items[0].name)"
    }
    throw StintError(
      .usage, "The results of " + listing(phrases, between: "; of "),
      remedies: [.numberResults, "give them folders of their own, in two runs"])
  }

  /// The first few of some words, and how many more there are.
  private static func listing(
    _ words: [String], between: String = ", ", and last: String? = nil
  ) -> String {
    let most = 5
    guard words.count <= most else {
      return words.prefix(most).joined(separator: between) + " (and \(words.count - most) more)"
    }
    return words.dropLast().joined(separator: between) + (words.count > 1 ? last ?? between : "")
      + (words.last ?? "")
  }

  /// Gives each of several inputs a name of its own where their results would have the same: the
  /// first keeps it, the others get `-2`, `-3` and so on.
  ///
  /// What the set has called an input stays. The others come in the order of their paths, so that
  /// the order in which they are named does not matter.
  ///
  /// - Parameters:
  ///   - items: The inputs with their plain names.
  ///   - known: The inputs that the set has or had.
  ///   - refused: What is out of sight keeps its name, too.
  /// - Returns: The inputs in the same order. One that is named twice has the same name twice.
  package static func numbered(
    _ items: [Item], known: [Item], refused: [Refused]
  ) -> [Item] {
    var (items, names): ([Item], [FilePath: Item]) = (items, [:])
    let former = Dictionary(grouping: known, by: \.path)
    for item in known where refused.contains(where: { $0.path.map(item.path.isWithin) ?? false }) {
      names[item.name] = item
    }
    var open: [Int] = []
    /// Takes a name, if no other input has it.
    func take(_ stem: FilePath, _ index: Int) -> Bool {
      var item = items[index]
      item.stem = stem
      guard names[item.name].map({ $0.path == item.path }) ?? true else { return false }
      names[item.name] = item
      items[index] = item
      return true
    }
    for index in items.indices {
      let item = items[index]
      let stem = former[item.path]?.first { $0.isNumbered(item) }?.stem
      if stem.map({ take($0, index) }) != true { open.append(index) }
    }
    open.sort { items[$0].path < items[$1].path }
    open.removeAll { take(items[$0].stem, $0) }
    for index in open {
      let stem = items[index].stem
      var number = 2
      while !take("\(stem)-\(number)", index) { number += 1 }
    }
    return items
  }
}

extension ImageSetPlan.Item {
  /// Whether its name is the plain one of an input, or that with a number.
  fileprivate func isNumbered(_ plain: ImageSetPlan.Item) -> Bool {
    guard ending == plain.ending, stem.text.utf8.starts(with: plain.stem.text.utf8) else {
      return false
    }
    let rest = stem.text.utf8.dropFirst(plain.stem.text.utf8.count)
    guard
      let number = rest.isEmpty
        ? 1
        : rest.first == UInt8(ascii: "-")
          ? Int(String(Substring(rest.dropFirst()))) : nil
    else { return false }
    return rest.isEmpty || number >= 2
  }
}
#endif
