#if Images
import StintRuntime
package import StintCore

/// What became of every input: the file `set` among the job's partial files, and the same in
/// memory.
///
/// Each line is durable before the result that it records gets its final name. So the ledger, not
/// the checkpoint, says what is done: after a kill at any instant, no file in the folder is made
/// again or mistaken for somebody else's.
package final class ImageSetLedger: Sendable {
  typealias Unit = ImageSetPlan.Unit

  struct Entry: Sendable {
    /// What the input was when the work was decided; nil if it was not there.
    var identity: SourceFile.Identity?
    /// The frames that are done.
    var results: [Int: ImageSetResult] = [:]
    /// How many frames there are; nil if nobody has looked yet.
    var frames: Int?
    /// Why nothing can be made of it.
    var failure: StintError?
    /// Where the file said last that a frame was done, also of one that is gone again.
    var doneAt: [Int: Int] = [:]
    /// Where the file said last that nothing could be made of it, also if it was begun anew since.
    var failedAt = 0

    /// The checksum of what it was when something was made of it.
    var source: Checksum128? { results.first?.value.source }
    var isDone: Bool { frames.map { results.count == $0 } ?? false }
    var isPending: Bool { failure == nil && !isDone }

    /// Begins anew; what was made of the very same file stays.
    mutating func begin(_ identity: SourceFile.Identity?) {
      let isSame = identity != nil && self.identity == identity
      self = Entry(
        identity: identity, results: isSame ? results : [:], frames: isSame ? frames : nil,
        doneAt: doneAt, failedAt: failedAt)
    }
  }

  struct State: Sendable {
    var entries: [Entry] = []
    /// No input before this one is pending.
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
    /// What making a group of results durable costs; nil before the first.
    var publishingCost: Double?
    /// Those that are worked on alone, band by band.
    var large: Set<Unit> = []
  }

  /// The partial file.
  package static let fileName = "set"

  let plan: ImageSetPlan
  let folder: OutputFolder
  let state = Protected(State())
  /// Makes everything durable that was written to partial files.
  private let makeDurable: @Sendable (any Workspace) throws -> Void

  init(
    _ plan: ImageSetPlan, folder: OutputFolder,
    makeDurable: @escaping @Sendable (any Workspace) throws -> Void
  ) {
    self.plan = plan
    self.folder = folder
    self.makeDurable = makeDurable
  }

  // MARK: Looking

  /// Whether an image is done already.
  func isDone(_ unit: Unit) -> Bool {
    state.withLock { $0.entries[unit.item].results[unit.frame] != nil }
  }

  /// Whether an image is of no further concern: it is done, or its input has failed.
  func isSettled(_ unit: Unit) -> Bool {
    state.withLock { state in
      let entry = state.entries[unit.item]
      return entry.failure != nil || entry.results[unit.frame] != nil
    }
  }

  /// Whether the work on an image ended after the ledger had that many bytes.
  ///
  /// Then what an older checkpoint says about the image no longer holds, and its partial files are
  /// gone, even if the image is to be made again.
  func hasEnded(_ unit: Unit, since fileBytes: Int) -> Bool {
    state.withLock { state in
      let entry = state.entries[unit.item]
      return max(entry.failedAt, entry.doneAt[unit.frame] ?? 0) > fileBytes
    }
  }

  /// What an input was when the work was decided.
  func identity(of item: Int) -> SourceFile.Identity? {
    state.withLock { $0.entries[item].identity }
  }

  /// Refuses an input that is not the one of which other frames were made.
  func check(_ item: Int, is checksum: Checksum128) throws {
    let source = state.withLock { $0.entries[item].source }
    if let source, source != checksum {
      throw SetFailure(error: Self.changed(plan.items[item].path))
    }
  }

  /// The next images, in order; of an input whose frames nobody has counted yet only the first.
  func next(_ count: Int) -> [Unit] {
    state.withLock { state in
      while state.firstPending < state.entries.count,
        !state.entries[state.firstPending].isPending
      {
        state.firstPending += 1
      }
      var units: [Unit] = []
      var item = state.firstPending
      while units.count < count, item < state.entries.count {
        let entry = state.entries[item]
        if entry.isPending {
          for frame in 0..<(entry.frames ?? 1) where entry.results[frame] == nil {
            units.append(Unit(item: item, frame: frame))
            if units.count == count { break }
          }
        }
        item += 1
      }
      return units
    }
  }

  func isLarge(_ unit: Unit) -> Bool { state.withLock { $0.large.contains(unit) } }

  func markLarge(_ unit: Unit) { state.withLock { _ = $0.large.insert(unit) } }

  /// The account of the whole set.
  package var account: ImageSetAccount {
    state.withLock { state in
      var account = ImageSetAccount(count: state.entries.count, madeNow: state.madeNow)
      var checksums: [UInt8] = []
      for (index, entry) in state.entries.enumerated() {
        if let failure = entry.failure {
          account.failures.append(.init(input: plan.items[index].path.text, error: failure))
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
      return account
    }
  }

  // MARK: Writing down

  /// Puts finished images into the folder: durable, written down, renamed, in that order.
  ///
  /// - Parameters:
  ///   - made: The images, each with how many frames its input has and its input's checksum.
  ///   - workspace: Where the ledger is.
  /// - Returns: What became of each.
  /// - Throws: ``StintError``: `io`, or `cannotCreate` if a name was taken meanwhile.
  func publish(
    _ made: [(staged: OutputFolder.Staged, frames: Int, source: Checksum128)],
    in workspace: any Workspace
  ) throws -> [(unit: Unit, name: String, result: ImageSetResult)] {
    var published: [(unit: Unit, name: String, result: ImageSetResult)] = []
    for (staged, frames, source) in made {
      let found = try folder.synchronize(staged)
      published.append(
        (
          staged.unit, plan.name(of: staged.unit, frames: frames),
          ImageSetResult(
            frames: frames, sizeBytes: found.sizeBytes, checksum: staged.checksum,
            inode: found.inode, modified: found.modified, source: source)
        ))
    }
    try append(published.map { .done($0.unit, $0.result) }, in: workspace)
    try makeDurable(workspace)
    for ((staged, _, _), (_, name, _)) in zip(made, published) {
      try folder.rename(staged.temporaryName, to: name)
    }
    try folder.synchronize()
    state.withLock { state in
      for (unit, _, result) in published {
        Self.add(unit, result, to: &state)
        state.madeNow += 1
      }
    }
    return published
  }

  /// Writes down that nothing can be made of an input.
  func fail(_ item: Int, _ error: StintError, in workspace: any Workspace) throws {
    try append([.failed(item, error)], in: workspace)
    try makeDurable(workspace)
    state.withLock { state in
      state.entries[item].failure = error
      state.entries[item].failedAt = state.fileBytes
      Self.end(item, &state)
    }
  }

  func append(_ lines: [ImageSetLine], in workspace: any Workspace) throws {
    guard !lines.isEmpty else { return }
    let bytes = lines.flatMap(\.encoded)
    let offset = state.withLock { $0.fileBytes }
    let file = try workspace.partialFile(named: Self.fileName)
    try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    state.withLock { $0.fileBytes = offset + bytes.count }
  }

  static func add(_ unit: Unit, _ result: ImageSetResult, to state: inout State) {
    state.entries[unit.item].results[unit.frame] = result
    state.entries[unit.item].frames = result.frames
    state.entries[unit.item].doneAt[unit.frame] = state.fileBytes
    if state.entries[unit.item].isDone { end(unit.item, &state) }
  }

  private static func end(_ item: Int, _ state: inout State) {
    state.ended += 1
    state.endedBytes += state.entries[item].identity?.sizeBytes ?? 0
  }
}

/// How many images of a set were made, and which inputs failed.
package struct ImageSetAccount: Hashable, Sendable {
  /// An input that failed.
  package struct Failure: Hashable, Sendable {
    /// The input.
    package var input: String
    /// Why.
    package var error: StintError

    /// Both; most sentences name their input themselves.
    var full: StintError { error.message.holds(input) ? error : error.about(input) }
  }

  /// How many inputs there are.
  package var count: Int
  /// How many of them are done.
  package var done = 0
  /// How many files they became.
  package var files = 0
  /// The length of all files.
  package var sizeBytes = 0
  /// The checksum of the checksums of all files, in order.
  package var checksum = Checksum128(high: 0, low: 0)
  /// How many files this process made.
  package var madeNow: Int
  /// The inputs that failed.
  package var failures: [Failure] = []

  init(count: Int, madeNow: Int) {
    self.count = count
    self.madeNow = madeNow
  }

  /// What the run ends with if inputs have failed.
  ///
  /// - Parameters:
  ///   - folder: Where the other results are.
  ///   - sentence: The words for one of the failures.
  /// - Returns: The failure, or nil.
  package func failure(in folder: String, _ sentence: (StintError) -> String) -> StintError? {
    guard !failures.isEmpty else { return nil }
    let shown = failures.prefix(5).map { sentence($0.full) }
    let more = failures.count > 5 ? " (and \(failures.count - 5) more)" : ""
    return StintError(
      .partlyFailed,
      "\(failures.count) of \(count) images failed; the other \(done) are in \(folder). "
        + shown.joined(separator: " ") + more
        + " Run the same command again to try \(failures.count == 1 ? "it" : "them") again.")
  }
}
#endif
