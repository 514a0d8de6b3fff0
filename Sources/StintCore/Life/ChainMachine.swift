/// Decides what follows each link of a chain (E3, E4, E7).
///
/// A chain is work that an engine runs slice after slice; a link is the process of one slice. A
/// value without effects; `docs/machines/chain.md` has every end of a link.
package struct ChainMachine: Hashable, Sendable {
  /// How a link ended.
  package enum LinkEnd: Hashable, Sendable {
    /// The result is durable.
    case finished
    /// Its time was over, and the work is saved.
    case unfinished
    /// It ended with a status that another link would end with, too.
    case failed(status: Int32)
    /// The work made no progress in several stints (W13).
    case noProgress
    /// Something was missing or could not be written; that may pass.
    case hindered(status: Int32)
    /// It crashed or was killed. Excused: the node failed or the engine took the slice back.
    case died(isExcused: Bool)
    /// Somebody stopped the chain.
    case stopped
  }

  /// Why a chain is over.
  package enum Ending: String, Hashable, Sendable, CaseIterable {
    case finished, failed, noProgress, died, stopped, usedUp
  }

  /// How several chains of one work ended together; nil while one of them has not.
  package static func ending(of endings: [Ending?]) -> Ending? {
    guard !endings.contains(nil) else { return nil }
    if endings.contains(.stopped) { return .stopped }
    return endings.compactMap { $0 }.first { $0 != .finished } ?? .finished
  }

  /// What follows a link.
  package enum Next: Hashable, Sendable {
    case link
    case ended(Ending)
  }

  /// How many links in a row may die without a new checkpoint.
  package static let mostDeaths = 3

  /// How many links the chain has.
  package let links: Int
  /// How many links in a row have died or were hindered without a new checkpoint.
  package private(set) var deaths: Int

  package init(links: Int, deaths: Int = 0) {
    (self.links, self.deaths) = (links, deaths)
  }

  /// A link has ended.
  ///
  /// - Parameters:
  ///   - end: How.
  ///   - number: Which one it was, from 1.
  ///   - madeProgress: Whether a new checkpoint became durable in it.
  /// - Returns: What follows.
  package mutating func linkEnded(_ end: LinkEnd, number: Int, madeProgress: Bool) -> Next {
    switch end {
    case .finished: return .ended(.finished)
    case .failed: return .ended(.failed)
    case .noProgress: return .ended(.noProgress)
    case .stopped: return .ended(.stopped)
    case .unfinished, .died(isExcused: true):
      deaths = 0
    case .hindered, .died(isExcused: false):
      deaths = madeProgress ? 0 : deaths + 1
      if deaths >= Self.mostDeaths { return .ended(.died) }
    }
    return number < links ? .link : .ended(.usedUp)
  }
}
