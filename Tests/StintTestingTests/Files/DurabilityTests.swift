import Stint
import Testing

@testable import StintTesting

/// The cache and the disk against a model that copies everything every time.
@Suite("What the disk has")
struct DurabilityTests {
  private struct Model {
    var cache: [UInt8] = []
    var disk: [UInt8] = []

    mutating func write(_ bytes: [UInt8], at offset: Int) {
      let end = max(cache.count, offset + bytes.count)
      cache += [UInt8](repeating: 0, count: end - cache.count)
      for (index, byte) in bytes.enumerated() { cache[offset + index] = byte }
    }

    mutating func truncate(to count: Int) {
      cache = (0..<count).map { $0 < cache.count ? cache[$0] : 0 }
    }
  }

  /// What is wrong after random writes, cuts and waits, or nil.
  private func violation(seed: UInt64) throws -> String? {
    var generator = SeededGenerator(seed: seed)
    let disk = FaultyFileSystem(sectorBytes: 4)
    let root = try disk.openDirectory(at: "/")
    let file = try disk.openFile("f", in: root, .create)
    try disk.synchronize(root)
    var model = Model()
    for step in 0..<Int.random(in: 1...200, using: &generator) {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let isAppend = Bool.random(using: &generator)
        let offset = isAppend ? model.cache.count : Int.random(in: 0..<80, using: &generator)
        let bytes = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
          UInt8.random(in: 1...255, using: &generator)
        }
        try disk.writeAll(file, bytes, at: offset)
        if !bytes.isEmpty { model.write(bytes, at: offset) }
      case 6..<8:
        let count = Int.random(in: 0..<90, using: &generator)
        try disk.truncate(file, to: count)
        model.truncate(to: count)
      case _:
        try disk.synchronize(file)
        model.disk = model.cache
      }
      if disk.contents(of: "/f") != model.cache { return "step \(step): the cache is wrong" }
      let durable = disk.rebooted(.nothing).contents(of: "/f") ?? []
      if durable != model.disk { return "step \(step): \(durable) on disk, not \(model.disk)" }
      let survived = disk.rebooted(.some(seed: seed &+ UInt64(step))).contents(of: "/f") ?? []
      guard [model.cache.count, model.disk.count].contains(survived.count) else {
        return "step \(step): the length \(survived.count) was never there"
      }
      for (index, byte) in survived.enumerated() {
        let old = index < model.disk.count ? model.disk[index] : 0
        let new = index < model.cache.count ? model.cache[index] : 0
        if byte != old, byte != new { return "step \(step): byte \(index) was never there" }
      }
    }
    return nil
  }

  @Test("C1 cache, disk and what a power loss leaves are those of the plain model")
  func model() throws {
    for seed: UInt64 in 0..<60 {
      #expect(try violation(seed: seed) == nil, "seed \(seed)")
    }
  }

  @Test("waiting for the disk costs what was written, not what the file holds")
  func costOfAppends() throws {
    let disk = FaultyFileSystem()
    let file = try disk.openFile("journal", in: try disk.openDirectory(at: "/"), .append)
    let line = [UInt8](repeating: 7, count: 100)
    for _ in 0..<2_000 {
      _ = try line.withUnsafeBytes { try disk.append(file, $0) }
      try disk.synchronizeData(file)
    }
    let node = try #require(disk.node("/journal"))
    #expect(node.data.count == 200_000)
    #expect(node.copiedBytes == 200_000)
  }

  @Test("C1 a disk that lies keeps nothing of what it says, or no names")
  func lies() throws {
    for (lie, files) in [
      (FaultyFileSystem.IgnoredSynchronization.none, ["/f"]), (.directories, []), (.all, []),
    ] {
      let disk = FaultyFileSystem()
      disk.ignoredSynchronization = lie
      let root = try disk.openDirectory(at: "/")
      try disk.synchronize(try disk.openFile("f", in: root, .create))
      try disk.synchronize(root)
      #expect(disk.rebooted(.nothing).files() == files)
    }
  }
}
