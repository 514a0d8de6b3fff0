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
    let chainIsRunning: Bool
    let chainIsStopped: Bool
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
    let cut = context.catalog.allRecords().filter { $0.shard != nil }
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
      let key = ChainJob.workKey(of: "\(context.catalog.jobsPath)/\(chain.key)")
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
    let catalog = context.catalog
    self.shard = shard
    let view = work.map { context.view(of: $0.key.description) }
    self.work = view
    self.chain = chain.flatMap { ChainView(of: $0.key.description, in: catalog) }
    let summary = self.chain.map { catalog.summary(of: $0.key) }
    chainIsRunning = summary?.isRunning ?? false
    chainIsStopped = summary?.markers.contains(.stop) ?? false
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
    if chainIsRunning { return .running }
    if let chain, chain.record.state != .ended, !chainIsStopped { return .queued }
    // A part without items leaves no job.
    if chain?.record.ending == .finished { return .finished }
    return state ?? .notBegun
  }

  /// How many of its items are neither done nor failed, if the whole has so many.
  func left(ofWhole count: Int?) -> Int? { tally?.left ?? count.map(shard.size(of:)) }
}

extension JobCatalog {
  /// What all jobs are, as far as they can be read.
  func allRecords() -> [JobRecord] {
    ((try? keys()) ?? []).compactMap { (try? record(of: $0)) ?? nil }
  }
}
