import StintCore
import StintRuntime

/// All parts of work that is cut: what `--shard` and `submit --shards` made of one list.
///
/// The parts find each other by the key of the uncut work, which is a parameter of each of them;
/// nothing else is written down of the whole.
struct WholeView: Sendable {
  /// How a part stands.
  enum State: String, Hashable, Sendable, CaseIterable {
    case running, paused, finished, failed, damaged, unreadable, foreign
    /// It waits for a slice of its chain.
    case queued
    /// It is unfinished, and nobody works on it.
    case waiting
    /// Nobody has begun it.
    case notBegun
  }

  struct Part: Sendable {
    let shard: Shard
    /// The job that does the work.
    let work: JobView?
    let chain: ChainView?
    let tally: ItemTally?
  }

  /// The key of the uncut work.
  let key: String
  let parts: [Part]
  /// The work, as one would write it on the command line.
  let what: String

  /// Finds the parts of what has this key, or of which a part or its chain has it; nil if that is
  /// nothing that is cut.
  ///
  /// - Parameters:
  ///   - key: Of the uncut work, a part, or the chain of a part.
  ///   - context: The command line that asks.
  ///   - most: How many failed items of each part to tell of.
  init?(_ key: String, in context: VerbContext, failures most: Int = .max) {
    let keys = (try? context.catalog.keys()) ?? []
    let cut = keys.compactMap(context.catalog.knownRecord).filter { $0.shard != nil }
    guard
      let asked = cut.first(where: { $0.key.description == key })
        ?? cut.filter({ $0.whole == key }).max(by: { $0.createdUnixSeconds < $1.createdUnixSeconds }
        ),
      let count = asked.shard?.count
    else { return nil }
    let same = cut.filter { $0.shard?.count == count }
    let chains = same.filter { $0.kind == ChainJob.kind }
    let works = same.filter { $0.kind != ChainJob.kind }
    // Each chain says which job does its work.
    let pairs = chains.flatMap { chain in
      let key = context.catalog.workKey(ofChain: chain.key.description)
      return works.filter { $0.key.description == key }
        .map { (chain: chain.whole, work: $0.whole) }
    }
    let isChain = asked.kind == ChainJob.kind
    let chainWhole = isChain ? asked.whole : pairs.first { $0.work == asked.whole }?.chain
    let workWhole = isChain ? pairs.first { $0.chain == asked.whole }?.work : asked.whole
    self.key = asked.whole
    var uncut = asked.parameters
    uncut[Shard.Parameter.count] = nil
    what = context.kinds[asked.kind].title(uncut)
    parts = (1...count).compactMap { Shard($0, of: count) }.map { shard in
      let work = works.first { $0.whole == workWhole && $0.shard == shard }
      let chain = chains.first { $0.whole == chainWhole && $0.shard == shard }
      return Part(shard, work, chain, context, failures: most)
    }
  }

  /// How many items there are; nil before one part has begun.
  var count: Int? { parts.compactMap(\.tally?.wholeCount).max() }
  var done: Int { parts.reduce(0) { $0 + ($1.tally?.done ?? 0) } }
  var failed: Int { parts.reduce(0) { $0 + ($1.tally?.failed ?? 0) } }
  var running: Int { parts.reduce(0) { $0 + ($1.tally?.running.count ?? 0) } }
  /// How many are neither done nor failed; nil before one part has begun.
  var left: Int? { count.map { max(0, $0 - done - failed) } }
  /// Whether nobody works on a part, and no slice is to come.
  var isAtRest: Bool { !parts.contains { [.running, .paused, .queued].contains($0.state) } }
  /// The gravest that can be said of one of the parts.
  var exitStatus: Int32 {
    parts.contains { $0.state == .damaged } ? ExitStatus.damaged : ExitStatus.finished
  }
}

extension WholeView.Part {
  init(
    _ shard: Shard, _ work: JobRecord?, _ chain: JobRecord?, _ context: VerbContext,
    failures most: Int
  ) {
    self.shard = shard
    let view = work.map { context.view(of: $0.key.description) }
    self.work = view
    self.chain = chain.flatMap { context.chain(of: $0.key.description) }
    tally = view.flatMap { view in
      context.tally(of: view, failures: most)
        ?? view.summary.record.flatMap { ItemTally(imagesOf: $0, at: view.summary.path) }
    }
  }

  /// The job by which one speaks of the part.
  var key: String? { chain?.key ?? work?.key }

  var state: WholeView.State {
    let state = work.flatMap { WholeView.State(rawValue: $0.state.rawValue) }
    if let state, ![.waiting, .failed].contains(state) { return state }
    if chain?.isRunning ?? false { return .running }
    if chain?.goesOn ?? false { return .queued }
    // A part without items leaves no job.
    if chain?.record.ending == .finished { return .finished }
    return state ?? .notBegun
  }

  /// How many of its items are neither done nor failed, if the whole has so many.
  func left(ofWhole count: Int?) -> Int? { tally?.left ?? count.map(shard.size(of:)) }
}

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
    var lines = FactLines(key)
    lines.add("what", what)
    lines.add("shards", "\(parts.count): \(states)")
    lines.add("items", sums)
    return lines.text + table.render(indent: 2)
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
    if chain.isStopped, chain.record.state != .ended { return "\(chain.key), stopped" }
    guard chain.record.state == .ended, chain.record.ending != .finished else { return chain.key }
    return "\(chain.key), ended: \(chain.record.why ?? "nobody knows why")"
  }
}
