package import Stint

/// A file or directory: what processes see of it, and what of that is on the disk.
package final class DiskNode {
  package let inode: UInt64
  package let kind: FileStatus.Kind
  /// What is read: the page cache.
  package var data: [UInt8] = []
  /// What names lead to: the cache of the directory.
  package var entries: [String: DiskNode] = [:]
  package var permissions: UInt32
  package var linkCount = 1
  package var userID: UInt32 = 1000
  /// The descriptor that holds the lock.
  package var lockedBy: Int32?
  /// How many descriptors lead here.
  private var openCount = 0
  /// The directory in which the file stays under another name until it is closed.
  private weak var stay: DiskNode?
  /// What the disk has of the bytes.
  private(set) var durableData: [UInt8] = []
  /// What the disk has of the names.
  private(set) var durableEntries: [String: DiskNode] = [:]
  /// What was written since the disk was last waited for.
  private var dirty: [Range<Int>] = []

  /// How many bytes were copied to the disk so far: it must grow with what is written, not with the
  /// file.
  private(set) var copiedBytes = 0

  /// More ranges than this are taken together: it costs a copy and not the truth.
  private static let mostRanges = 64

  init(_ kind: FileStatus.Kind, inode: UInt64) {
    self.kind = kind
    self.inode = inode
    permissions = kind == .directory ? 0o700 : 0o600
  }

  var isOpen: Bool { openCount > 0 }
  private var nameOfStay: String { ".nfs" + String(inode, radix: 16) }

  func open() { openCount += 1 }

  func close() {
    openCount -= 1
    guard openCount == 0, let directory = stay else { return }
    directory.entries[nameOfStay] = nil
    linkCount -= 1
    stay = nil
  }

  /// Stays in a directory under another name until it is closed, as clients of NFS have it.
  func stay(in directory: DiskNode) {
    directory.entries[nameOfStay] = self
    stay = directory
  }

  /// Writes bytes, and zeros up to them where the file is shorter.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    let before = data.count
    if before < offset { data.append(contentsOf: repeatElement(0, count: offset - before)) }
    let inside = min(bytes.count, data.count - offset)
    if inside > 0 {
      data.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[offset..<offset + inside])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<inside]))
      }
    }
    if inside < bytes.count { data.append(contentsOf: bytes[inside...]) }
    markDirty(min(before, offset)..<offset + bytes.count)
  }

  /// Cuts or extends.
  func truncate(to sizeBytes: Int) {
    let before = data.count
    if sizeBytes < before {
      data.removeLast(before - sizeBytes)
      // Extended again later, it has zeros there, and the disk has not.
      markDirty(sizeBytes..<before)
    } else {
      data.append(contentsOf: repeatElement(0, count: sizeBytes - before))
      markDirty(before..<sizeBytes)
    }
  }

  /// Everything is on the disk now; the cost is that of what changed.
  func synchronize() {
    if kind == .directory {
      durableEntries = entries
      return
    }
    if durableData.count > data.count { durableData.removeLast(durableData.count - data.count) }
    for range in dirty { copyToDisk(range.clamped(to: 0..<data.count)) }
    let copied = durableData.count
    if copied < data.count { durableData.append(contentsOf: data[copied...]) }
    dirty = []
  }

  /// Makes the present contents durable, however they came to be.
  func becomeDurable() {
    durableData = data
    durableEntries = entries
    dirty = []
  }

  /// Gives a name to a node or takes it away, in the cache and on the disk.
  func place(_ name: String, _ node: DiskNode?) {
    entries[name] = node
    durableEntries[name] = node
  }

  /// Flips a bit in the cache and on the disk.
  func flip(bit: Int) {
    data[bit / 8] ^= 1 << UInt8(bit % 8)
    if bit / 8 < durableData.count { durableData[bit / 8] ^= 1 << UInt8(bit % 8) }
  }

  /// What a power loss leaves of the bytes: each sector that was not waited for is the new or the
  /// old one, and so is the length.
  func survivors(sectorBytes: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let sizeBytes = generator.chance(0.5) ? data.count : durableData.count
    var bytes = Array(durableData.prefix(sizeBytes))
    bytes.append(contentsOf: repeatElement(0, count: sizeBytes - bytes.count))
    var next = 0
    for range in dirty.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      var sector = max(next, range.lowerBound / sectorBytes)
      while sector * sectorBytes < min(range.upperBound, sizeBytes) {
        if generator.chance(0.5) {
          for index in sector * sectorBytes..<min((sector + 1) * sectorBytes, sizeBytes) {
            bytes[index] = index < data.count ? data[index] : 0
          }
        }
        sector += 1
      }
      next = max(next, sector)
    }
    return bytes
  }

  private func copyToDisk(_ range: Range<Int>) {
    copiedBytes += range.count
    if range.lowerBound > durableData.count {
      durableData.append(contentsOf: data[durableData.count..<range.lowerBound])
    }
    let end = min(range.upperBound, durableData.count)
    if range.lowerBound < end {
      durableData.withUnsafeMutableBytes { disk in
        data.withUnsafeBytes { cache in
          UnsafeMutableRawBufferPointer(rebasing: disk[range.lowerBound..<end])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: cache[range.lowerBound..<end]))
        }
      }
    }
    if end < range.upperBound {
      durableData.append(contentsOf: data[max(end, range.lowerBound)..<range.upperBound])
    }
  }

  private func markDirty(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if let last = dirty.last, last.lowerBound <= range.lowerBound,
      range.lowerBound <= last.upperBound
    {
      dirty[dirty.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      return
    }
    if dirty.count == Self.mostRanges {
      let lowest = dirty.map(\.lowerBound).min() ?? 0
      let highest = dirty.map(\.upperBound).max() ?? 0
      dirty = [lowest..<highest]
    }
    dirty.append(range)
  }
}
