#if Images
import StintRuntime
import StintCore

/// What became of every input: the file `set` among the job's partial files, and the same in
/// memory.
///
/// Each line is durable before the result that it records gets its final name. So the ledger, not
/// the checkpoint, says what is done: after a kill at any instant, no file in the folder is made
/// again or mistaken for somebody else's.
package final class ImageSetLedger: Sendable {
  typealias Unit = ImageSetPlan.Unit

  struct Entry: Sendable {
    var item: ImageSetPlan.Item
    /// What the input was when the work was decided; nil if it was not there.
    var identity: SourceFile.Identity?
    /// The frames that are done.
    var results: [Int: ImageSetResult] = [:]
    /// How many frames there are; nil if nobody has looked yet.
    var frames: Int?
    /// Why nothing can be made of it.
    var failure: StintError?
    /// What was made of the file that the input was before; done after all if that had the same
    /// bytes.
    var former: [Int: ImageSetResult] = [:]
    /// Where the file said last that the work on a frame ended: that it was done, also if its
    /// result is gone again, or dropped.
    var endedAt: [Int: Int] = [:]
    /// Where the file said last that nothing could be made of it, also if it was begun anew since.
    var failedAt = 0
    /// Whether the input is no more, though everything was made of it.
    var isGone = false
    /// Whether the line is lost that says what the input is.
    var isUnknown = false

    /// The checksum of what it was when something was made of it.
    var source: Checksum128? { results.first?.value.source }
    var isDone: Bool { frames.map { results.count == $0 } ?? false }
    var isPending: Bool { failure == nil && !isDone }

    /// Begins anew; what was made of the very same file stays.
    mutating func begin(_ item: ImageSetPlan.Item, _ identity: SourceFile.Identity?) {
      if identity == nil || self.identity != identity || self.item.request != item.request {
        // Of several files only if the line between them is lost.
        if !results.isEmpty {
          former = Set(results.values.map(\.source)).count == 1 ? results : [:]
        }
        if self.item.request != item.request { former = [:] }
        (results, frames) = ([:], nil)
      }
      (self.item, self.identity, failure) = (item, identity, nil)
    }

    /// Where the file said last that the work on a frame ended, in whatever way.
    func endedAt(_ frame: Int) -> Int { max(failedAt, endedAt[frame] ?? 0) }

    /// Takes another file with the same bytes.
    mutating func keep(_ identity: SourceFile.Identity) {
      self.identity = identity
      guard results.isEmpty, let first = former.first else { return }
      (results, frames, former) = (former, first.value.frames, [:])
    }
  }

  /// A result that stands in the folder under its name.
  struct Standing: Sendable {
    var found: OutputFolder.Found
    var result: ImageSetResult
  }

  struct State: Sendable {
    /// All inputs that the set has or had.
    var entries: [Entry] = []
    /// The places of those that it has, in order.
    var order: [Int] = []
    /// The same as it was written down; nil if nothing was.
    var list: ImageSetPlaces?
    /// No input of the order before this one is pending.
    var firstPending = 0
    /// The bytes of the file that are lines.
    var fileBytes = 0
    /// The bytes of inputs that are done or have failed.
    var endedBytes = 0
    var totalBytes = 0
    var ended = 0
    /// Results that this process made.
    var madeNow = 0
    /// What this process spent on inputs of that many bytes.
    var learntCost = 0.0
    var learntBytes = 0
    /// Nanoseconds that a unit of cost takes on one thread, as far as that is known.
    var pace = 1.0
    /// The largest cost of the work that the pace was measured by; zero before the first.
    var paceCost = 0.0
    /// What making a group of results durable costs; nil before the first.
    var publishingCost: Double?
    /// Those that are worked on alone, band by band.
    var large: Set<Unit> = []
    /// Every result that was ever written down, by its name; the newest last.
    var written: [FilePath: [ImageSetResult]] = [:]
    /// Which of them is in the folder.
    var standing: [FilePath: Standing] = [:]
    /// Results that no input has any more.
    var orphans: [FilePath] = []
    /// Results of inputs whose lines are lost.
    var strays: [ImageSetResult] = []
    /// How many inputs there can be, if lines are lost that describe some of them; else zero.
    var mostPlaces = 0
    /// Whether files in the folder may be results whose lines are lost.
    var isDoubtful = false
  }

  /// The partial file.
  package static let fileName = "set"

  let plan: ImageSetPlan
  let folder: OutputFolder
  let state = Protected(State())
  /// Whether others know of results that the file does not tell of.
  let lacksLines: Bool
  /// What is wrong with the file; empty when it was told, nil if nothing is.
  let damage = Protected<String?>(nil)
  /// Makes everything durable that was written to partial files.
  let makeDurable: @Sendable (any Workspace) throws -> Void

  init(
    _ plan: ImageSetPlan, folder: OutputFolder, lacksLines: Bool,
    makeDurable: @escaping @Sendable (any Workspace) throws -> Void
  ) {
    self.plan = plan
    self.folder = folder
    self.lacksLines = lacksLines
    self.makeDurable = makeDurable
  }

  // MARK: Looking

  /// Whether an image is of no further concern: it is done, or its input has failed.
  func isSettled(_ unit: Unit) -> Bool {
    state.withLock { state in
      let entry = state.entries[unit.item]
      return entry.failure != nil || entry.results[unit.frame] != nil
    }
  }

  /// Whether what a checkpoint says of half an image holds.
  ///
  /// It does not if the set has the input no more, or if the work on the image ended after the
  /// ledger had that many bytes: then its partial files are gone, even if the image is to be made
  /// again.
  func isOpen(_ unit: Unit, since fileBytes: Int) -> Bool {
    state.withLock { state in
      let entry = state.entries[unit.item]
      return state.order.contains(unit.item) && entry.failure == nil
        && entry.results[unit.frame] == nil && entry.endedAt(unit.frame) <= fileBytes
    }
  }

  /// Writes down that half an image is given up, before its partial files are removed.
  ///
  /// Without that a checkpoint would count on them if the input is back in the next run.
  func drop(_ unit: Unit, since fileBytes: Int, in workspace: any Workspace) throws {
    let ended = state.withLock { $0.entries[unit.item].endedAt(unit.frame) }
    guard ended <= fileBytes else { return }
    try write([.dropped(unit)], in: workspace)
    try makeDurable(workspace)
  }

  /// The input at a place.
  func item(_ place: Int) -> ImageSetPlan.Item { state.withLock { $0.entries[place].item } }

  /// How many places there are.
  var count: Int { state.withLock { $0.entries.count } }

  /// What an input was when the work was decided.
  func identity(of item: Int) -> SourceFile.Identity? {
    state.withLock { $0.entries[item].identity }
  }

  /// What an input is by its bytes.
  enum Verdict {
    /// Something is to be made of it.
    case new
    /// Its results were made of these bytes already.
    case same
    /// Other frames were made of other bytes.
    case changed
  }

  func verdict(_ item: Int, _ checksum: Checksum128) -> Verdict {
    state.withLock { state in
      let entry = state.entries[item]
      if let source = entry.source { return source == checksum ? .new : .changed }
      return entry.former.first?.value.source == checksum ? .same : .new
    }
  }

  /// The next images, in order; of an input whose frames nobody has counted yet only the first.
  func next(_ count: Int) -> [Unit] {
    state.withLock { state in
      while state.firstPending < state.order.count,
        !state.entries[state.order[state.firstPending]].isPending
      {
        state.firstPending += 1
      }
      var units: [Unit] = []
      for place in state.order[state.firstPending...] where state.entries[place].isPending {
        let entry = state.entries[place]
        for frame in 0..<(entry.frames ?? 1) where entry.results[frame] == nil {
          units.append(Unit(item: place, frame: frame))
          if units.count == count { return units }
        }
      }
      return units
    }
  }

  func isLarge(_ unit: Unit) -> Bool { state.withLock { $0.large.contains(unit) } }

  func markLarge(_ unit: Unit) { state.withLock { _ = $0.large.insert(unit) } }

  package var account: ImageSetAccount {
    state.withLock { state in
      let refused = plan.ownRefused
      var account = ImageSetAccount(
        count: state.order.count + refused.count, madeNow: state.madeNow)
      account.failures = refused.map { .init(input: $0.name, error: $0.error) }
      var checksums: [UInt8] = []
      for entry in state.order.map({ state.entries[$0] }) {
        if let failure = entry.failure {
          account.failures.append(.init(input: entry.item.path.text, error: failure))
        } else if entry.isDone {
          account.done += 1
        }
        for (_, result) in entry.results.sorted(by: { $0.key < $1.key }) {
          account.files += 1
          account.sizeBytes += result.sizeBytes
          checksums += result.checksum.bytes
        }
      }
      account.checksum = XXH3Checksum.digest(checksums)
      account.orphans = state.orphans
      return account
    }
  }

  // MARK: Writing down

  /// A complete image under its temporary name, and what it was made of.
  struct Made: Sendable {
    var staged: OutputFolder.Staged
    /// How many frames the input has.
    var frames: Int
    /// The input's checksum.
    var source: Checksum128
    /// What the input was when it was opened.
    var identity: SourceFile.Identity
  }

  /// Puts finished images into the folder: durable, written down, renamed, in that order.
  ///
  /// - Parameters:
  ///   - made: The images.
  ///   - workspace: Where the ledger is.
  /// - Returns: What became of each.
  /// - Throws: ``StintError``: `io`, or `cannotCreate` if a name was taken meanwhile.
  func publish(
    _ made: [Made], in workspace: any Workspace
  ) throws -> [(unit: Unit, name: FilePath, result: ImageSetResult)] {
    var published: [(unit: Unit, name: FilePath, result: ImageSetResult)] = []
    var founds: [OutputFolder.Found] = []
    var lines: [ImageSetLine] = []
    var opened: [Int: SourceFile.Identity] = [:]
    for image in made {
      let found = try folder.synchronize(image.staged)
      let (unit, item) = (image.staged.unit, item(image.staged.unit.item))
      founds.append(found)
      let result = ImageSetResult(
        frames: image.frames, sizeBytes: found.sizeBytes, checksum: image.staged.checksum,
        inode: found.inode, modified: found.modified, source: image.source)
      published.append((unit, plan.name(of: item, frame: unit.frame, of: image.frames), result))
      if opened.updateValue(image.identity, forKey: unit.item) ?? identity(of: unit.item)
        != image.identity
      {
        // Another file since the work was decided, and it is this one of which something was made.
        let isBegun = state.withLock { !$0.entries[unit.item].results.isEmpty }
        lines.append(
          isBegun
            ? .same(unit.item, image.identity) : .input(unit.item, item, image.identity))
      }
      lines.append(.done(unit, result))
    }
    let ends = try append(lines, in: workspace)
    try makeDurable(workspace)
    for (image, (_, name, _)) in zip(made, published) {
      try folder.rename(
        image.staged.temporaryName, to: name, replacing: state.withLock { $0.standing[name]?.found }
      )
    }
    try folder.synchronize(namesOf: published.map(\.name))
    try state.withLock { state in
      for (line, end) in zip(lines, ends) { try state.apply(line, end, plan) }
      for ((_, name, result), found) in zip(published, founds) {
        state.standing[name] = Standing(found: found, result: result)
        state.madeNow += 1
      }
      for item in Set(published.map(\.unit.item)) where state.entries[item].isDone {
        state.end(item)
      }
    }
    return published
  }

  /// Writes down that nothing can be made of an input.
  func fail(_ item: Int, _ error: StintError, in workspace: any Workspace) throws {
    try write([.failed(item, error)], in: workspace)
    try makeDurable(workspace)
    state.withLock { $0.end(item) }
  }

  /// Writes down that an input has the bytes of which its results were made.
  func keep(
    _ same: [(item: Int, identity: SourceFile.Identity)], in workspace: any Workspace
  ) throws {
    guard !same.isEmpty else { return }
    try write(same.map { .same($0.item, $0.identity) }, in: workspace)
    try makeDurable(workspace)
    state.withLock { state in
      for item in Set(same.map(\.item)) where state.entries[item].isDone { state.end(item) }
    }
  }

  /// Writes down that an input has other bytes than those of which some of its frames were made.
  ///
  /// By its times and number it may be the same file all the same, and that alone would keep them.
  func beginAnew(
    _ item: Int, _ identity: SourceFile.Identity, in workspace: any Workspace
  ) throws {
    let input = self.item(item)
    try write([.input(item, input, nil), .input(item, input, identity)], in: workspace)
  }

  /// Appends lines, and takes them in.
  func write(_ lines: [ImageSetLine], in workspace: any Workspace) throws {
    let ends = try append(lines, in: workspace)
    try state.withLock { state in
      for (line, end) in zip(lines, ends) { try state.apply(line, end, plan) }
    }
  }

  /// Appends lines to the file.
  ///
  /// - Returns: Where each ends.
  private func append(_ lines: [ImageSetLine], in workspace: any Workspace) throws -> [Int] {
    guard !lines.isEmpty else { return [] }
    let start = state.withLock { $0.fileBytes }
    var (bytes, ends): ([UInt8], [Int]) = ([], [])
    for line in lines {
      bytes += line.encoded
      ends.append(start + bytes.count)
    }
    let file = try workspace.partialFile(named: Self.fileName)
    try bytes.withUnsafeBytes { try file.write($0, at: start) }
    state.withLock { $0.fileBytes = start + bytes.count }
    return ends
  }
}
#endif
