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
  ///   - durableBytes: How many bytes of it a checkpoint counts; if it has fewer, lines are lost.
  /// - Throws: ``StintError``: `damaged`, or `cannotCreate` for a name that is in use.
  func load(in workspace: any Workspace, durableBytes: Int = 0) throws {
    let file = try workspace.partialFile(named: Self.fileName)
    let bytes = try file.contents()
    let reading = Self.read(bytes)
    let isCut = reading.sizeBytes < durableBytes || lacksLines && !reading.hasGaps
    let isTorn = bytes.count > reading.sizeBytes
    try replay(reading)
    note(reading, isCut: isCut)
    state.withLock { $0.isDoubtful = isCut || isTorn || reading.hasGaps }
    try checkTrust()
    // Half a line, from a process that was ended while it wrote.
    if isTorn { try file.truncate(to: reading.sizeBytes) }
    if reading.sizeBytes == 0 { try write([.head(work: work)], in: workspace) }
    if isCut { try markGap(in: workspace) }
    if isCut || !reading.damaged.isEmpty { try beginAllAnew(in: workspace) }
    try admitInputs(in: workspace)
    try settleResults()
    try checkInputs(in: workspace)
    try checkNames()
    try blank(reading.damaged, in: workspace)
  }

  /// Takes the lines in.
  private func replay(_ reading: Reading) throws {
    guard
      reading.begins(with: .head(work: work)) || reading.begins(with: .head(work: workAtItsPlace))
    else { throw Self.foreign }
    var replayed = try Self.state(reading, plan)
    replayed.fileBytes = reading.sizeBytes
    state.withLock { $0 = replayed }
  }

  /// What tells this work from others; where its folder is does not matter, because it may be moved
  /// together with the jobs.
  private var work: String {
    XXH3Checksum.digest(Array(plan.parameters.canonicalText.utf8)).description
  }

  /// The same as version 0.1.0 wrote it.
  private var workAtItsPlace: String {
    XXH3Checksum.digest(Array((plan.parameters.canonicalText + folder.path).utf8)).description
  }

  /// Refuses to go on without a trust that the set had: files of that format would fail, or not be
  /// found in their folders, and then their results would be orphans.
  private func checkTrust() throws(StintError) {
    let had = state.withLock { $0.list?.trusted } ?? []
    let missing = UntrustedFormat.allCases.filter { had.contains($0) && !plan.trusted.contains($0) }
    guard let first = missing.first else { return }
    throw StintError(
      .mismatch,
      "The images in \(folder.path) were begun with files of \(missing.map(\.name).joined(separator: " and ")) "
        + "that are trusted.", remedies: [.trust(first.rawValue), .startOver])
  }

  static let foreign = StintError(
    .damaged, "The ledger of the images belongs to other work.", remedies: [.startOver])

  // MARK: Inputs that come and go

  /// Writes down which inputs the set has now, and what new ones are.
  private func admitInputs(in workspace: any Workspace) throws {
    let (entries, before) = state.withLock { ($0.entries, $0.list) }
    let known = entries.map { $0.isUnknown ? nil : $0.item }
    // What could not be read may be read now.
    let triesAgain =
      !plan.trusted.isSubset(of: before?.trusted ?? [])
      || before.map { $0.damaged != plan.selection.damaged } ?? false
    var places: [FilePath: Int] = [:]
    for case (let place, let item?) in known.enumerated() { places[item.name] = place }
    var (lines, order, count): ([ImageSetLine], [Int], Int) = ([], [], known.count)
    for item in plan.items {
      let place = places[item.name] ?? count
      if place == count { count += 1 }
      if place >= known.count || known[place] != item
        || triesAgain && entries[place].failure != nil
      {
        lines.append(.input(place, item, Self.identity(at: item.path)))
      }
      order.append(place)
    }
    let list = ImageSetPlaces(
      order, of: plan.cut, trusted: plan.trusted, damaged: plan.selection.damaged,
      refused: plan.refused)
    if list != before { lines.append(.list(list)) }
    try write(lines, in: workspace)
  }

  /// What a file is now; nil if there is none, or if it cannot be looked at.
  static func identity(at path: FilePath) -> SourceFile.Identity? {
    var status = stat()
    return stat(path.text, &status) == 0 ? SourceFile.Identity(status) : nil
  }

  /// Whether there is no file; one that only cannot be looked at may be there, and so may that of a
  /// link.
  private static func isGone(_ path: FilePath) -> Bool {
    var status = stat()
    guard lstat(path.text, &status) != 0 else { return false }
    return errno == ENOENT || errno == ENOTDIR
  }

  // MARK: Results

  /// Looks whether what was done still stands, and gives results their names that a kill kept from
  /// them.
  private func settleResults() throws {
    var temporaries = try folder.temporaries()
    var standing: [FilePath: Standing] = [:]
    for (name, results) in state.withLock({ $0.written }) {
      guard let newest = results.last else { continue }
      let found = try folder.find(name)
      let current = try found.flatMap { try folder.result($0, under: name, among: results) }
      if let found, let current { standing[name] = Standing(found: found, result: current) }
      guard current != newest, let temporary = temporaries[newest.found],
        found == nil || current != nil || folder.replacesOthers
      else { continue }
      try folder.rename(temporary, to: name, replacing: current == nil ? nil : found)
      temporaries[newest.found] = nil
      standing[name] = Standing(found: newest.found, result: newest)
    }
    // Also those that stand already: a process may have been ended before they were durable.
    try folder.synchronize(namesOf: Array(standing.keys))
    state.withLock { state in
      state.standing = standing
      for index in state.entries.indices { state.dropLost(index, plan) }
    }
    for name in temporaries.values { try folder.removeTemporary(name) }
  }

  // MARK: Inputs

  /// Begins inputs anew that are not what they were, and counts.
  ///
  /// Whether their bytes are other ones is looked at when their turn comes. A file that failed may
  /// have been repaired, so it is looked at again if it is another one, and always if nothing else
  /// is left.
  private func checkInputs(in workspace: any Workspace) throws {
    let (entries, order) = state.withLock { ($0.entries, $0.order) }
    let isOver = !order.contains { entries[$0].isPending }
    var again: [ImageSetLine] = []
    var gone: [Int] = []
    for place in order {
      let (entry, now) = (entries[place], Self.identity(at: entries[place].item.path))
      if entry.failure != nil {
        if isOver || now != entry.identity { again.append(.input(place, entry.item, now)) }
      } else if now == nil, entry.isDone, Self.isGone(entry.item.path) {
        gone.append(place)
      } else if now != entry.identity {
        again.append(.input(place, entry.item, now))
      }
    }
    try write(again, in: workspace)
    state.withLock { state in
      for place in gone { state.entries[place].isGone = true }
      for place in order {
        let entry = state.entries[place]
        state.totalBytes += entry.identity?.sizeBytes ?? 0
        if !entry.isPending { state.end(place) }
      }
    }
  }

  // MARK: Names

  /// Refuses to begin if names of results that are still to be made are in use.
  private func checkNames() throws {
    // Of lines that are lost nobody knows whose the files are, until the images are made again.
    guard !folder.replacesOthers, !state.withLock({ $0.isDoubtful }) else { return }
    let names = state.withLock { state in
      state.order.map { state.entries[$0] }.flatMap { entry -> [FilePath] in
        guard entry.failure == nil, !plan.takesFrames || entry.frames != nil else { return [] }
        let frames = entry.frames ?? 1
        return (0..<frames).filter { entry.results[$0] == nil }
          .map { plan.name(of: entry.item, frame: $0, of: frames) }
          .filter { state.standing[$0] == nil }
      }
    }
    let taken = try names.filter { try folder.find($0) != nil }
    if let first = taken.first { throw folder.taken(first, others: taken.count - 1) }
  }

  // MARK: Orphans

  /// Looks which results no input has any more, and removes them if that is wanted.
  func settleOrphans(removes: Bool) throws {
    let orphans = state.withLock { state in
      var wanted: Set<FilePath> = []
      let listed = Set(state.order)
      for (place, entry) in state.entries.enumerated()
      where listed.contains(place) && !entry.isGone || plan.isOutOfSight(entry.item.path) {
        // What is there is better than nothing while nothing newer can be made.
        let results =
          entry.isDone ? entry.results : entry.former.merging(entry.results) { $1 }
        for (frame, result) in results {
          wanted.insert(plan.name(of: entry.item, frame: frame, of: result.frames))
        }
      }
      state.orphans = state.standing.keys.filter { !wanted.contains($0) }.sorted()
      return state.orphans.map { ($0, state.standing[$0]) }
    }
    guard removes else { return }
    for (name, standing) in orphans {
      if let standing { try folder.remove(name, ifIs: standing.found) }
    }
    try folder.synchronize(namesOf: orphans.map(\.0))
    state.withLock { state in
      for (name, _) in orphans { state.standing[name] = nil }
      for index in state.entries.indices { state.dropLost(index, plan) }
    }
  }
}

extension ImageSetLedger.State {
  /// Forgets results of an input that do not stand in the folder.
  fileprivate mutating func dropLost(_ index: Int, _ plan: ImageSetPlan) {
    let item = entries[index].item
    func stands(_ frame: Int, _ result: ImageSetResult) -> Bool {
      standing[plan.name(of: item, frame: frame, of: result.frames)]?.result == result
    }
    entries[index].results = entries[index].results.filter { stands($0.key, $0.value) }
    entries[index].former = entries[index].former.filter { stands($0.key, $0.value) }
  }
}
#endif
