/// The values for a template: lists, of which every combination makes a line.
package struct BatchValues: Hashable, Sendable {
  /// Lists whose values belong together, the first with the first.
  private struct Group: Hashable, Sendable {
    var lists: [PackedTexts]
    var count: Int { lists.map(\.count).min() ?? 0 }
  }

  private var groups: [Group] = []

  package init() {}

  /// Adds a list; if it is linked, its values belong to those of the list before, and the shorter
  /// list says how many there are.
  package mutating func add(_ list: PackedTexts, isLinked: Bool = false) {
    if isLinked, !groups.isEmpty {
      groups[groups.count - 1].lists.append(list)
    } else {
      groups.append(Group(lists: [list]))
    }
  }

  /// How many lists there are.
  package var lists: Int { groups.reduce(0) { $0 + $1.lists.count } }

  /// How many combinations there are; at most `Int.max`.
  package var count: Int {
    guard !groups.isEmpty else { return 0 }
    return groups.reduce(1) { product, group in
      let (next, overflow) = product.multipliedReportingOverflow(by: group.count)
      return overflow ? .max : next
    }
  }

  /// A combination, one value of each list; the last list changes fastest.
  package subscript(index: Int) -> [String] {
    var rest = index
    var values: [[String]] = []
    for group in groups.reversed() {
      let (quotient, position) = rest.quotientAndRemainder(dividingBy: group.count)
      values.append(group.lists.map { $0[position] })
      rest = quotient
    }
    return values.reversed().flatMap { $0 }
  }
}
