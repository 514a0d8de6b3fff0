#if Images
import StintCommands
import StintCore
import StintImages
import StintRuntime

// A set that is cut into shards: what is looked at before any work, and the list that is made when
// the set is submitted.

extension ImageSetWork {
  /// Refuses what would replace an input, or what is done in another cut.
  ///
  /// - Parameters:
  ///   - options: The options of the run.
  ///   - catalog: The jobs.
  ///   - shard: Which part is to be done; nil for all of it.
  /// - Returns: The key of the job of the whole set.
  /// - Throws: ``StintError`` with the code `usage`.
  func check(
    _ options: RunOptions, in catalog: JobCatalog, as shard: Shard?
  ) throws -> String {
    let folder = try absoluteFolder
    for item in plan.items where !plan.takesFrames {
      guard item.path != folder.appending(item.name) else {
        throw StintError(
          .usage,
          "The result of \(item.path) would replace it; name another folder, or add --suffix.")
      }
    }
    let whole = try whole(options)
    try catalog.refuseOtherCut(of: whole, kind: ImageSetComputation.kind, into: shard)
    if !options.force {
      try catalog.refuseResultsOfOtherCut(of: whole, kind: ImageSetComputation.kind, into: shard)
    }
    return whole
  }

  /// Refuses a part while parts of the same cut deal the inputs in another way: both would make the
  /// same images.
  ///
  /// - Throws: ``StintError`` with the code `usage` that says how to go on.
  func refuseOtherDealing(of whole: String, _ shard: Shard, in catalog: JobCatalog) throws {
    let others = Self.parts(of: whole, in: shard.count, catalog)
      .filter { ImageSetPlan.Dealing($0.parameters) != (frozen == nil ? .byName : .inTurn) }
    guard let other = others.first(where: { $0.shard == shard }) ?? others.first else { return }
    throw StintError(
      .usage,
      frozen == nil
        ? "\(other.key) was begun by stint submit, whose shards take images in turn; --shard by hand "
          + "would make images of other shards. Go on with stint resume \(other.key), or submit "
          + "the work again."
        : "\(other.key) was begun with --shard by hand, so names decide which shard makes an image. "
          + "Submit the work again, and its shards keep to that.")
  }

  /// The parts of one cut that have begun.
  private static func parts(
    of whole: String, in count: Int, _ catalog: JobCatalog
  ) -> [JobRecord] {
    catalog.records(ofKind: ImageSetComputation.kind)
      .filter { $0.whole == whole && $0.shard?.count == count }
  }
}

extension ImageSetWork: ListedWork {
  func list(_ options: RunOptions, in count: Int) throws -> [UInt8]? {
    var (work, options) = (self, options)
    options.outputFolder = folder
    let catalog = try JobCatalog(jobsDirectory: options.jobsDirectory)
    let mark = XXH3Checksum.digest(
      Array("\(plan.parameters.canonicalText)\n\(try absoluteFolder)".utf8)
    ).description
    let known = try FrozenImageList.longest(of: mark, in: catalog)
    try work.complete(options, known: known?.items ?? [])
    let whole = try work.check(options, in: catalog, as: Shard(1, of: count))
    if !options.display.quiet {
      for notice in work.notices { complain(notice.typed) }
    }
    let parts = Self.parts(of: whole, in: count, catalog)
    if let other = parts.first(where: { ImageSetPlan.Dealing($0.parameters) == .byName }) {
      complain(
        "\(other.key) was begun before, with names that decide which shard makes an image; "
          + "all shards keep to that, and differ in size.")
      return nil
    }
    if known == nil, let part = parts.first {
      throw StintError(
        .usage,
        "\(part.key) took images in turn from a list that is gone with its chain. Finish it with "
          + "stint resume \(part.key), or give up what the shards have done: stint clean --all "
          + parts.map(\.key.description).joined(separator: " ") + ".")
    }
    return FrozenImageList(work.plan, after: known).encoded(work: mark)
  }
}

extension FrozenImageList {
  /// The list of the chain in which this process works; nil if there is none.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  static func ofChain() throws(StintError) -> FrozenImageList? {
    guard let path = ChainTie.input,
      let bytes = try ifPresent(JobFileContents.bytes(of: path, atMost: mostBytes))
    else { return nil }
    guard let list = FrozenImageList(bytes) else {
      throw StintError(
        .damaged, "The list of inputs in \(path) is damaged; submit the work again.")
    }
    return list
  }

  /// The longest list of some work that a chain has: lists of the same work only grow.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  static func longest(of work: String, in catalog: JobCatalog) throws -> FrozenImageList? {
    var found: [(path: String, count: Int)] = []
    for path in try ChainTie.inputs(in: catalog) {
      let first = try ifPresent(JobFileContents.bytes(of: path, atMost: Head.mostBytes))
      guard let head = first.flatMap(Head.init), head.work == work else { continue }
      found.append((path, head.count))
    }
    found.sort { $0.count > $1.count }
    for (path, _) in found {
      let bytes = try ifPresent(JobFileContents.bytes(of: path, atMost: mostBytes))
      if let list = bytes.flatMap({ FrozenImageList($0) }) { return list }
    }
    return nil
  }
}
#endif
