/// Finds what a user may have meant.
package enum NearestName {
  /// The candidate that is nearest to the text, or nil if none is near enough to be a slip of the
  /// hand.
  package static func find(_ text: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { (name: $0, distance: distance(text, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(text.count, best.name.count) / 3) ? best.name : nil
  }

  /// The least number of insertions, deletions, replacements and swaps of neighbours that make one
  /// text of the other (Damerau's distance with each place edited at most once).
  package static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left.prefix(64)), Array(right.prefix(64)))
    var twoAbove = [Int](repeating: 0, count: b.count + 1)
    var above = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        let replaced = above[j] + (a[i] == b[j] ? 0 : 1)
        var best = min(above[j + 1] + 1, row[j] + 1, replaced)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, twoAbove[j - 1] + 1)
        }
        row.append(best)
      }
      (twoAbove, above) = (above, row)
    }
    return above[b.count]
  }
}
