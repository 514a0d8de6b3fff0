import StintCore
package import StintRuntime

/// Looks that no work is done in two different cuts at once.
package struct ShardCheck: Sendable {
  private let catalog: JobCatalog

  package init(_ catalog: JobCatalog) { self.catalog = catalog }

  /// Refuses work of which a job of another cut is there and not finished.
  ///
  /// - Parameters:
  ///   - whole: The key of the uncut work.
  ///   - kind: Its kind.
  ///   - shard: Which part is to be done; nil for all of it.
  /// - Throws: ``StintError`` with the code `usage` that names the other jobs.
  package func refuseOtherCut(of whole: String, kind: String, into shard: Shard?) throws {
    let others = catalog.records(ofKind: kind).filter { record in
      record.whole == whole && record.shard?.count != shard?.count
        && !catalog.summary(of: record.key.description).isFinished
    }
    .sorted { ($0.shard?.number ?? 0) < ($1.shard?.number ?? 0) }
    guard let first = others.first else { return }
    let keys = others.map(\.key.description).joined(separator: " ")
    let how = first.shard.map { "as \($0)" } ?? "without --shard"
    throw StintError(
      .usage,
      "\(first.key) does the same work \(how), and is not finished. Finish it that way, or give up "
        + "what it has done: stint clean --all \(keys).")
  }
}
