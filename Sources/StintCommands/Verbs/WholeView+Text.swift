import StintCore
import StintRuntime

extension WholeView {
  static let shownFailures = 40

  /// The sums in a clause.
  var sums: String {
    guard let count, let left else { return "nothing is known before a shard has begun" }
    let now = running > 0 ? ", of which \(running) \(running == 1 ? "is" : "are") running" : ""
    return "\(done) of \(count) done, \(failed) failed, \(left) left\(now)"
  }

  /// How many parts are in which state, as a clause.
  var states: String {
    State.allCases.compactMap { state in
      let count = parts.count { $0.state == state }
      return count == 0 ? nil : "\(count) \(state.words)"
    }.joined(separator: ", ")
  }

  /// The page for people.
  var text: String {
    var table = TextTable([
      ("SHARD", .right), ("STATE", .left), ("DONE", .right), ("FAILED", .right), ("LEFT", .right),
      ("JOB", .left), ("CHAIN", .left),
    ])
    for part in parts {
      table.add([
        part.shard.text, part.state.words, part.tally.map { "\($0.done)" } ?? "-",
        part.tally.map { "\($0.failed)" } ?? "-",
        part.left(ofWhole: count).map { "\($0)" } ?? "-", part.work?.key ?? "-", part.chainText,
      ])
    }
    let head = """
      \(key)
        what         \(CellWidth.fitted(what, to: .max))
        shards       \(parts.count): \(states)
        items        \(sums)

      """
    return head + table.render(indent: 2)
      + ItemTally.failureList(
        failures.prefix(Self.shownFailures).map(\.failure), of: failed, indent: 2)
  }

  /// What failed, in the order of the list.
  var failures: [(shard: Shard, failure: ItemTally.Failure)] {
    parts.flatMap { part in (part.tally?.failures ?? []).map { (part.shard, $0) } }
      .sorted { $0.1.number < $1.1.number }
  }

  /// The whole as the verbs show it to programs.
  var json: JSONLine {
    var json = JSONLine()
    json.add("whole", key)
    json.add("what", what)
    json.add("shards", parts.count)
    json.add("items", count)
    json.add("done", done)
    json.add("failed", failed)
    json.add("left", left)
    json.add("running", running)
    json.add(
      "parts",
      objects: parts.map { part in
        var json = JSONLine()
        json.add("shard", part.shard.number)
        json.add("state", part.state.rawValue)
        json.add("items", part.tally?.count)
        json.add("done", part.tally?.done)
        json.add("failed", part.tally?.failed)
        json.add("left", part.left(ofWhole: count))
        json.add("job", part.work?.key)
        json.add("chain", object: part.chain?.json(standing: nil))
        return json
      })
    json.add(
      "failures",
      objects: failures.map { shard, failure in
        var json = JSONLine()
        json.add("shard", shard.number)
        failure.add(to: &json)
        return json
      })
    return json
  }
}

extension WholeView.State {
  var words: String { self == .notBegun ? "not begun" : rawValue }
}

extension WholeView.Part {
  fileprivate var chainText: String {
    guard let chain else { return "-" }
    if chainIsStopped, chain.record.state != .ended { return "\(chain.key), stopped" }
    guard chain.record.state == .ended, chain.record.ending != .finished else { return chain.key }
    return "\(chain.key), ended: \(chain.record.why ?? "nobody knows why")"
  }
}
