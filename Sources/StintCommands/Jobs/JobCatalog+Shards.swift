import StintCore
package import StintRuntime

// Looks that no work is done in two different cuts at once.

extension JobCatalog {
  /// Refuses work of which a job of another cut is there and not finished.
  ///
  /// - Parameters:
  ///   - whole: The key of the uncut work.
  ///   - kind: Its kind.
  ///   - shard: Which part is to be done; nil for all of it.
  /// - Throws: ``StintError`` with the code `usage` that names the other jobs.
  package func refuseOtherCut(of whole: String, kind: String, into shard: Shard?) throws {
    let others = others(of: whole, kind, shard) { !$0 }
    guard let first = others.first else { return }
    throw StintError(
      .usage,
      "\(first.key) does the same work \(Self.way(first)), and is not finished. Finish it that way, or "
        + "give up what it has done: stint clean --all \(Self.keys(others)).")
  }

  /// Refuses work whose results another cut has put into the folder where they would go.
  ///
  /// Each would be refused by its name otherwise, as if it were somebody else's.
  ///
  /// - Throws: ``StintError`` with the code `usage` that says what can be done.
  package func refuseResultsOfOtherCut(of whole: String, kind: String, into shard: Shard?) throws {
    let others = others(of: whole, kind, shard) { $0 }
    guard let first = others.first else { return }
    throw StintError(
      .usage,
      "\(first.key) has done the same work \(Self.way(first)), and its results are in that folder. Go on "
        + "\(Self.way(first)); or forget that (stint clean --all \(Self.keys(others))), and make all "
        + "results again with --force.")
  }

  /// Jobs that do the work in another cut, by whether they are finished.
  private func others(
    of whole: String, _ kind: String, _ shard: Shard?, where isWanted: (Bool) -> Bool
  ) -> [JobRecord] {
    records(ofKind: kind).filter { record in
      record.whole == whole && record.shard?.count != shard?.count
        && isWanted(summary(of: record.key.description).isFinished)
    }
    .sorted { ($0.shard?.number ?? 0) < ($1.shard?.number ?? 0) }
  }

  private static func way(_ record: JobRecord) -> String {
    record.shard.map { "as \($0)" } ?? "without --shard"
  }

  private static func keys(_ records: [JobRecord]) -> String {
    records.map(\.key.description).joined(separator: " ")
  }
}
