import StintCore

/// The checkpoint folder of a life: what seems to be on the disk, and what really is.
///
/// Which generations are tried and which may go is decided by `Generations`, as in the store; the
/// order of the steps is the store's (C1).
struct SimulatedDisk {
  /// A state of the work.
  struct State: Hashable {
    var units = 0
    /// Depends on every unit and on their order.
    var value: UInt64 = 0x9E37
    var workTime = Duration.zero
  }

  struct File: Hashable {
    var sequence: UInt64
    var state: State
    /// Whether the bytes are on the disk.
    var bytesAreSafe = false
    /// Whether the name is.
    var nameIsSafe = false
    /// Whether the bytes are what was written.
    var isWhole = true
  }

  /// The steps of a commit, each a moment at which everything can end.
  enum Step: Int, CaseIterable {
    case write, synchronize, verify, rename, synchronizeFolder, prune
  }

  private(set) var generations: [File] = []
  private var temporary: File?
  /// Removed, but the folder was not synchronized since.
  private var removed: [File] = []
  private var verified: Set<UInt64> = []
  private var sequence: UInt64 = 0
  /// The result under its final name.
  var result: UInt64?

  /// The most that is there after power is lost in the worst way.
  var survivor: State? {
    newest { $0.bytesAreSafe && $0.nameIsSafe && $0.isWhole }?.state
  }

  /// The newest generation that is whole, by looking at all of them.
  var newestWhole: File? { newest(where: \.isWhole) }

  private func newest(where isWanted: (File) -> Bool) -> File? {
    generations.filter(isWanted).max { $0.sequence < $1.sequence }
  }

  // MARK: The commit

  mutating func perform(_ step: Step, of state: State, plant: PlantedFault?) {
    switch step {
    case .write:
      sequence += 1
      temporary = File(sequence: sequence, state: state)
    case .synchronize:
      if plant != .bytesAreNotSynchronized { temporary?.bytesAreSafe = true }
    case .verify:
      if plant == .prunesTooEarly { generations = [] }
    case .rename:
      if let temporary { generations.append(temporary) }
      temporary = nil
      verified.insert(sequence)
    case .synchronizeFolder:
      if plant == .folderIsNotSynchronized { return }
      for index in generations.indices { generations[index].nameIsSafe = true }
      removed = []
    case .prune:
      let prunable = Generations(listing: names).prunable(verified: verified)
      removed += generations.filter { prunable.contains($0.sequence) }
      generations.removeAll { prunable.contains($0.sequence) }
    }
  }

  /// The commit failed: what was being written goes.
  mutating func abandon() {
    temporary = nil
  }

  // MARK: Ends

  /// The process is gone; what it wrote stays in the page cache.
  mutating func processEnded() {
    temporary = nil
    verified = []
  }

  /// Power is lost: of what was not synchronized anything may be left.
  mutating func powerLost(_ draw: inout SplitMix64) {
    var left: [File] = []
    for var file in generations {
      if !file.nameIsSafe, draw.chance(0.5) { continue }
      if !file.bytesAreSafe { file.isWhole = draw.chance(0.2) }
      file.nameIsSafe = true
      file.bytesAreSafe = true
      left.append(file)
    }
    for file in removed where draw.chance(0.5) { left.append(file) }
    generations = left
    removed = []
    processEnded()
  }

  /// A bit of the newest generation flips, if there is one before it.
  mutating func damageNewest() {
    guard generations.count > 1,
      let newest = generations.indices.max(by: {
        generations[$0].sequence < generations[$1].sequence
      })
    else { return }
    generations[newest].isWhole = false
    generations[newest].state.value ^= 1
  }

  // MARK: The restart

  /// What a restart goes on from.
  mutating func restore(plant: PlantedFault?) -> File? {
    var order = Generations(listing: names).newestFirst
    if plant == .restoresTheOldest { order.reverse() }
    for number in order {
      guard let index = generations.firstIndex(where: { $0.sequence == number }) else { continue }
      if generations[index].isWhole || plant == .damageIsNotSeen {
        verified.insert(number)
        if plant != .restoreDoesNotSynchronize {
          for other in generations.indices { generations[other].nameIsSafe = true }
        }
        return generations[index]
      }
      // Set aside.
      generations.remove(at: index)
    }
    return nil
  }

  private var names: [String] { generations.map { Generations.name(of: $0.sequence) } }
}
