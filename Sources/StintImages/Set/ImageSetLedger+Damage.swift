#if Images
import Glibc
import StintRuntime
import StintCore

// A ledger of which lines are lost (C2).
//
// What the other lines say stands. Every input is read again, since the line that told of another
// file may be the lost one. A file in the folder whose line is lost is this job's if the image that
// is made again has the same bytes; else it stays, and its input fails.

extension ImageSetLedger {
  /// Whether this process has found damage.
  var isDamaged: Bool { damage.withLock { $0 != nil } }

  /// What there is to say of damage that was found; nil the second time.
  func takeDamageNotice() -> Notice? {
    damage.withLock { damage in
      guard let text = damage, !text.isEmpty else { return nil }
      damage = ""
      return Notice(
        "\(text) All inputs are read again, and images whose lines are lost are made again.")
    }
  }

  /// Remembers what is wrong with the file.
  func note(_ reading: Reading, isCut: Bool) {
    let name = "The ledger of this set, partial/\(Self.fileName),"
    let count = reading.damaged.count
    damage.withLock { damage in
      guard damage == nil else { return }
      if count > 0 {
        damage = "\(name) is damaged: \(count) line\(count == 1 ? "" : "s") cannot be read."
      } else if isCut {
        damage = "\(name) is damaged: lines are missing at its end."
      }
    }
  }

  /// Remembers in the file that lines are missing, for a process that comes after a kill.
  func markGap(in workspace: any Workspace) throws {
    let file = try workspace.partialFile(named: Self.fileName)
    let start = state.withLock { $0.fileBytes }
    try Array(" \n".utf8).withUnsafeBytes { try file.write($0, at: start) }
    state.withLock { $0.fileBytes = start + 2 }
  }

  /// Has every input read again that is there.
  func beginAllAnew(in workspace: any Workspace) throws {
    let entries = state.withLock { $0.entries }
    try write(
      entries.enumerated().compactMap { place, entry in
        guard !entry.isUnknown, entry.failure == nil, !entry.results.isEmpty,
          Self.identity(at: entry.item.path) != nil
        else { return nil }
        return .input(place, entry.item, nil)
      }, in: workspace)
  }

  /// Makes lines blank of which all is made good, so that they are told of once.
  func blank(_ damaged: [Range<Int>], in workspace: any Workspace) throws {
    guard !damaged.isEmpty else { return }
    try makeDurable(workspace)
    let file = try workspace.partialFile(named: Self.fileName)
    for line in damaged {
      // Also the newline, which may be the damaged byte.
      let bytes = [UInt8](repeating: UInt8(ascii: " "), count: line.count) + [UInt8(ascii: "\n")]
      try bytes.withUnsafeBytes { try file.write($0, at: line.lowerBound) }
    }
  }

  /// Whether the file that has an image's name is not known to be this job's.
  ///
  /// - Parameter image: The image, which was made though its name is in use.
  /// - Returns: False unless lines of the ledger are lost, and for a file that is the same, byte
  ///   for byte, or that some line tells of.
  /// - Throws: ``StintError`` with the code `io` if that cannot be found out.
  func isOthers(_ image: Made) throws -> Bool {
    let unit = image.staged.unit
    let name = plan.name(of: item(unit.item), frame: unit.frame, of: image.frames)
    let (isDoubtful, strays) = state.withLock { state in
      (state.isDoubtful && state.standing[name] == nil, state.strays)
    }
    guard isDoubtful, !folder.replacesOthers, let found = try folder.find(name) else {
      return false
    }
    let same = ImageSetResult(
      frames: image.frames, sizeBytes: found.sizeBytes, checksum: image.staged.checksum,
      inode: found.inode, modified: found.modified, source: image.source)
    // By its bytes alone, as the number and time are those of the file itself.
    let isSame =
      try folder.checksum(of: name, sizeBytes: found.sizeBytes) == image.staged.checksum
    let own = try isSame ? same : folder.result(found, under: name, among: strays)
    guard let own else { return true }
    state.withLock { $0.standing[name] = Standing(found: found, result: own) }
    return false
  }
}

extension ImageSetComputation {
  /// Puts finished images into the folder; those whose names have other files fail.
  func publish(_ made: [ImageSetLedger.Made], in workspace: any Workspace) throws {
    var own: [ImageSetLedger.Made] = []
    for image in made {
      guard try ledger.isOthers(image) else {
        own.append(image)
        continue
      }
      let unit = image.staged.unit
      folder.discard(image.staged)
      guard !ledger.isSettled(unit) else { continue }
      let name = plan.name(of: ledger.item(unit.item), frame: unit.frame, of: image.frames)
      try fail(unit.item, folder.doubtful(name), in: workspace)
    }
    if !own.isEmpty { tell(try ledger.publish(own, in: workspace)) }
  }

  /// Says what is wrong with the ledger, once.
  func tellDamage() {
    if let notice = ledger.takeDamageNotice() { hooks.tell(.notice(notice)) }
  }
}

extension OutputFolder {
  /// The refusal of a name in use of which a damaged ledger does not say whose it is.
  func doubtful(_ name: FilePath) -> StintError {
    StintError(
      .cannotCreate,
      "The output \(path)/\(name) exists and is not what is made now, and the damaged ledger does not "
        + "tell whether this job made it.",
      remedies: [.replaceOutput, "move it away and run the same command again"], errno: EEXIST)
  }
}
#endif
