import Glibc
import Stint
import StintCore

/// A disk in memory and the cache before it, shared by the processes of one machine.
struct MemoryDisk {
  let root: DiskNode
  /// The next number of a file.
  var nextInode: UInt64
  /// Descriptors are numbered for the whole machine, so that a lock knows its holder by one.
  var nextDescriptor: Int32 = 3
  /// The numbers of the processes that live.
  var processes: Set<Int32> = []
  var nextProcess: Int32 = 100
  var hasPower = true
  var ignoredSynchronization = FaultyFileSystem.IgnoredSynchronization.none
  var keepsOpenFiles = false

  /// An empty disk.
  init() {
    root = DiskNode(.directory, inode: 1)
    nextInode = 2
  }

  private init(root: DiskNode, nextInode: UInt64) {
    self.root = root
    self.nextInode = nextInode
  }

  mutating func makeNode(_ kind: FileStatus.Kind) -> DiskNode {
    defer { nextInode += 1 }
    return DiskNode(kind, inode: nextInode)
  }

  func takeName(_ name: String, of file: DiskNode, in directory: DiskNode) {
    directory.entries[name] = nil
    if keepsOpenFiles, file.isOpen {
      file.stay(in: directory)
    } else {
      file.linkCount -= 1
    }
  }

  func node(_ path: String) -> DiskNode? {
    path.split(separator: "/").reduce(root as DiskNode?) { $0?.entries[String($1)] }
  }

  /// The disk as the next boot finds it.
  func rebooted(_ survival: FaultyFileSystem.Survival, sectorBytes: Int) -> MemoryDisk {
    var generator = SeededGenerator(seed: survival.seed)
    var copies: [UInt64: DiskNode] = [:]
    func copy(_ node: DiskNode) -> DiskNode {
      if let copy = copies[node.inode] { return copy }
      let result = DiskNode(node.kind, inode: node.inode)
      copies[node.inode] = result
      result.permissions = node.permissions
      result.userID = node.userID
      result.linkCount = node.kind == .directory ? 1 : 0
      result.data =
        switch survival {
        case .nothing: node.durableData
        case .everything: node.data
        case .some: node.survivors(sectorBytes: sectorBytes, &generator)
        }
      for name in Set(node.entries.keys).union(node.durableEntries.keys).sorted() {
        let survivor =
          switch survival {
          case .nothing: node.durableEntries[name]
          case .everything: node.entries[name]
          case .some:
            generator.chance(0.5) ? node.entries[name] : node.durableEntries[name]
          }
        guard let survivor else { continue }
        let kept = copy(survivor)
        if kept.kind != .directory { kept.linkCount += 1 }
        result.entries[name] = kept
      }
      result.becomeDurable()
      return result
    }
    return MemoryDisk(root: copy(root), nextInode: nextInode)
  }
}
