#if Images
import Glibc
import StintRuntime
import StintCore

extension ImageSetLedger {
  /// Reads what earlier processes wrote down, makes good what they left half done, and refuses what
  /// cannot be gone on with.
  ///
  /// - Parameters:
  ///   - workspace: Where the ledger is.
  ///   - durableBytes: How many bytes of it a checkpoint counts; damage among them is an error.
  /// - Throws: ``StintError``: `damaged`, `mismatch` for an input that changed, `cannotCreate` for
  ///   a name that is in use.
  func load(in workspace: any Workspace, durableBytes: Int = 0) throws {
    let file = try workspace.partialFile(named: Self.fileName)
    let bytes = try Self.contents(file)
    let reading = Self.read(bytes)
    guard reading.sizeBytes >= durableBytes else {
      throw StintError(
        .damaged,
        "The ledger of the images is damaged after \(reading.sizeBytes) bytes, and the checkpoint counts "
          + "on \(durableBytes).", remedies: [.startOver])
    }
    let isBegun = try replay(reading)
    if isBegun {
      // Half a line, from a process that was ended while it wrote.
      if bytes.count > reading.sizeBytes { try file.truncate(to: reading.sizeBytes) }
    } else {
      try begin(file, in: workspace)
    }
    try settleResults()
    try checkInputs(in: workspace)
    try checkNames()
  }

  /// The inputs that a ledger tells of, for a job that is resumed by its name alone.
  ///
  /// - Parameter bytes: The bytes of the file.
  /// - Returns: The inputs in order; nil if it tells of none.
  package static func items(in bytes: [UInt8]) -> [ImageSetPlan.Item]? {
    let lines = read(bytes).lines
    guard case .head(let count)? = lines.first else { return nil }
    var items: [ImageSetPlan.Item] = []
    for line in lines.dropFirst().prefix(count) {
      guard case .input(items.count, let item, _) = line else { return nil }
      items.append(item)
    }
    return items.count == count ? items : nil
  }

  private static func contents(_ file: any PartialFile) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: try file.sizeBytes)
    try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return bytes
  }

  /// Lines, and where each ends.
  private struct Reading {
    var lines: [ImageSetLine]
    var ends: [Int]
    var sizeBytes: Int { ends.last ?? 0 }
  }

  /// All lines up to the first that is none.
  private static func read(_ bytes: [UInt8]) -> Reading {
    var (lines, ends, start): ([ImageSetLine], [Int], Int) = ([], [], 0)
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")),
      let line = ImageSetLine(bytes[start..<end])
    {
      lines.append(line)
      start = end + 1
      ends.append(start)
    }
    return Reading(lines: lines, ends: ends)
  }

  /// Takes the lines in.
  ///
  /// - Returns: Whether the list of inputs is whole; nothing is done before it is.
  private func replay(_ reading: Reading) throws -> Bool {
    state.withLock { $0 = State(entries: plan.items.map { _ in Entry() }) }
    guard case .head(plan.items.count)? = reading.lines.first,
      reading.lines.count > plan.items.count
    else { return false }
    try state.withLock { state in
      state.fileBytes = reading.sizeBytes
      for (line, end) in zip(reading.lines, reading.ends).dropFirst() {
        switch line {
        case .input(let index, let item, let identity):
          guard plan.items.indices.contains(index), plan.items[index] == item else {
            throw Self.foreign
          }
          state.entries[index].begin(identity)
        case .same(let index, let identity):
          guard plan.items.indices.contains(index) else { throw Self.foreign }
          state.entries[index].identity = identity
        case .done(let unit, let result):
          guard plan.items.indices.contains(unit.item) else { throw Self.foreign }
          state.entries[unit.item].results[unit.frame] = result
          state.entries[unit.item].frames = result.frames
          state.entries[unit.item].doneAt[unit.frame] = end
        case .failed(let index, let error):
          guard plan.items.indices.contains(index) else { throw Self.foreign }
          state.entries[index].failure = error
          state.entries[index].failedAt = end
        case .head:
          throw Self.foreign
        }
      }
    }
    return true
  }

  private static let foreign = StintError(
    .damaged, "The ledger of the images belongs to other work.", remedies: [.startOver])

  /// Writes the list of inputs with what they are now.
  private func begin(_ file: any PartialFile, in workspace: any Workspace) throws {
    try file.truncate(to: 0)
    let identities = plan.items.map { Self.identity(at: $0.path) }
    state.withLock { state in
      state = State(entries: identities.map { Entry(identity: $0) })
    }
    let lines = plan.items.indices.map { ImageSetLine.input($0, plan.items[$0], identities[$0]) }
    try append([.head(count: lines.count)] + lines, in: workspace)
  }

  /// What a file is now; nil if there is none.
  static func identity(at path: FilePath) -> SourceFile.Identity? {
    var status = stat()
    guard stat(path.text, &status) == 0 else { return nil }
    return SourceFile.Identity(status)
  }

  // MARK: Results

  /// Looks whether what was done still stands, and gives results their names that a kill kept from
  /// them.
  private func settleResults() throws {
    let entries = state.withLock { $0.entries }
    var temporaries = try folder.temporaries()
    var lost: [Unit] = []
    var renamed = false
    for (index, entry) in entries.enumerated() {
      for (frame, result) in entry.results {
        let unit = Unit(item: index, frame: frame)
        let name = plan.name(of: unit, frames: result.frames)
        let expected = OutputFolder.Found(
          inode: result.inode, sizeBytes: result.sizeBytes, modified: result.modified)
        let found = try folder.find(name)
        if found == expected { continue }
        if let temporary = temporaries[expected], found == nil || folder.replacesOthers {
          try folder.rename(temporary, to: name)
          temporaries[expected] = nil
          renamed = true
        } else if try folder.checksum(of: name, sizeBytes: result.sizeBytes) != result.checksum {
          lost.append(unit)
        }
      }
    }
    if renamed { try folder.synchronize() }
    state.withLock { state in
      for unit in lost { state.entries[unit.item].results[unit.frame] = nil }
    }
    for name in temporaries.values { try folder.removeTemporary(name) }
  }

  // MARK: Inputs

  /// Refuses inputs of which something was made and that are not what they were, begins the others
  /// anew, and counts.
  ///
  /// A file that failed may have been repaired, so it is looked at again if it is another one, and
  /// always if nothing else is left.
  private func checkInputs(in workspace: any Workspace) throws {
    let entries = state.withLock { $0.entries }
    let isOver = !entries.contains(where: \.isPending)
    var again: [ImageSetLine] = []
    for (index, entry) in entries.enumerated() {
      let (item, now) = (plan.items[index], Self.identity(at: plan.items[index].path))
      if entry.failure != nil {
        if isOver || now != entry.identity { again.append(.input(index, item, now)) }
      } else if now != entry.identity {
        if let source = entry.source {
          // One that is gone may be, once everything was made of it.
          if let now { try checkBytes(index, now, source, in: workspace) }
        } else {
          again.append(.input(index, item, now))
        }
      }
    }
    try append(again, in: workspace)
    state.withLock { state in
      for case .input(let index, _, let identity) in again {
        state.entries[index].begin(identity)
      }
      state.ended = 0
      state.endedBytes = 0
      state.totalBytes = 0
      for entry in state.entries {
        let sizeBytes = entry.identity?.sizeBytes ?? 0
        state.totalBytes += sizeBytes
        if !entry.isPending {
          state.ended += 1
          state.endedBytes += sizeBytes
        }
      }
    }
  }

  /// Reads an input that is another file than it was: its checksum decides.
  private func checkBytes(
    _ index: Int, _ now: SourceFile.Identity, _ source: Checksum128, in workspace: any Workspace
  ) throws {
    let path = plan.items[index].path
    let file = try SourceFile(path.text)
    guard try file.wholeFingerprint().checksum == source else { throw Self.changed(path) }
    // At once, so that a process that is ended here has not read it in vain.
    try append([.same(index, now)], in: workspace)
    state.withLock { $0.entries[index].identity = now }
  }

  /// The refusal of an input that is not what it was when the work began.
  static func changed(_ path: FilePath) -> StintError {
    StintError(
      .mismatch,
      "The input \(path) has changed since an image, or half of one, was made of it.",
      remedies: ["put the old one back", .startOver])
  }

  // MARK: Names

  /// Refuses to begin if names of results that are still to be made are in use.
  private func checkNames() throws {
    guard !folder.replacesOthers else { return }
    let existing = try folder.names()
    let taken = state.withLock { state in
      state.entries.enumerated().flatMap { (index, entry) -> [String] in
        guard entry.failure == nil, !plan.takesFrames || entry.frames != nil else { return [] }
        let frames = entry.frames ?? 1
        return (0..<frames).filter { entry.results[$0] == nil }
          .map { plan.name(of: Unit(item: index, frame: $0), frames: frames) }
          .filter { existing.contains(FilePath($0)) }
      }
    }
    if let first = taken.first { throw folder.taken(first, others: taken.count - 1) }
  }
}
#endif
