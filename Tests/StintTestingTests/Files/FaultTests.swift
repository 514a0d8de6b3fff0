import Glibc
import Stint
import Testing

@testable import StintTesting

@Suite("Faults of the file system")
struct FaultTests {
  private let disk = FaultyFileSystem()

  private func file(_ name: String = "f", _ mode: OpenMode = .createOrUpdate) throws -> OpenFile {
    try disk.openFile(name, in: try disk.openDirectory(at: "/"), mode)
  }

  private func write(_ bytes: [UInt8], at offset: Int = 0, to file: OpenFile) throws -> Int {
    try bytes.withUnsafeBytes { try disk.write(file, $0, at: offset) }
  }

  @Test("R4 the call with the number fails with the errno, has no effect, and the next one is well")
  func byNumber() throws {
    let file = try file()
    disk.faults[disk.callCount + 1] = .diskFull
    let error = #expect(throws: StintError.self) { try write([1, 2], to: file) }
    #expect(error?.errno == ENOSPC)
    #expect(error?.message.contains("/f") == true)
    #expect(disk.contents(of: "/f") == [])
    #expect(try write([1, 2], to: file) == 2)
    #expect(disk.contents(of: "/f") == [1, 2])
    #expect(disk.calls.suffix(2).map(\.description) == ["write /f", "write /f"])
  }

  @Test("R4 calls fail by their name, after so many and so many times")
  func byName() throws {
    disk.faults.add(.ioError, at: .write, pathSuffix: ".tmp", skipping: 1, times: 2)
    let plain = try file("f")
    let temporary = try file("f.tmp")
    for _ in 1...4 { #expect(try write([1], to: plain) == 1) }
    let results = try (1...4).map { _ in
      do { return try write([1], to: temporary) == 1 } catch let error as StintError {
        #expect(error.errno == EIO)
        return false
      }
    }
    #expect(results == [true, false, false, true])
  }

  @Test(
    "R4 scattered faults come as often as they should, and at the same calls with the same seed")
  func byChance() throws {
    func failures(seed: UInt64) throws -> [Int] {
      let disk = FaultyFileSystem()
      let directory = try disk.openDirectory(at: "/")
      disk.faults.scatter([.diskFull, .ioError], probability: 0.2, seed: seed, kinds: [.status])
      return (0..<500).filter { _ in (try? disk.status(of: directory)) == nil }
    }
    let first = try failures(seed: 1)
    #expect((60...140).contains(first.count), "seed 1: \(first.count) of 500")
    #expect(try failures(seed: 1) == first)
    #expect(try failures(seed: 2) != first)
  }

  @Test(
    "R4 a short write takes half; R15 an interrupted one takes something, and other calls are made again"
  )
  func partial() throws {
    let file = try file()
    disk.faults[disk.callCount + 1] = .short
    #expect(try write([1, 2, 3, 4], to: file) == 2)
    #expect(disk.contents(of: "/f") == [1, 2])
    disk.faults[disk.callCount + 1] = .interrupted
    #expect(try write([9], to: file) == 1)
    disk.faults[disk.callCount + 1] = .interrupted
    let before = disk.callCount
    try disk.synchronize(file)
    #expect(disk.callCount == before + 2)
  }

  @Test("C2 a flipped bit comes with the read, or stays with the write")
  func corrupt() throws {
    let file = try file()
    _ = try write([0, 0, 0, 0], to: file)
    disk.faults[disk.callCount + 1] = .corrupt
    #expect(try disk.readBytes(file, atMost: 4).count == 4, "the status is not affected")
    disk.faults[disk.callCount + 2] = .corrupt
    #expect(try disk.readBytes(file, atMost: 4) == [0, 0, 0x10, 0])
    #expect(try disk.readBytes(file, atMost: 4) == [0, 0, 0, 0])
    disk.faults[disk.callCount + 1] = .corrupt
    _ = try write([0, 0, 0, 0], to: file)
    #expect(try disk.readBytes(file, atMost: 4) == [0, 0, 0x10, 0])
    try disk.synchronize(file)
    try disk.synchronize(try disk.openDirectory(at: "/"))
    disk.flipBit(1, of: "/f")
    #expect(disk.rebooted(.nothing).contents(of: "/f") == [2, 0, 0x10, 0])
  }

  @Test("R1 a killed process leaves its cache and no lock, does nothing more, and the others go on")
  func kill() throws {
    let other = disk.anotherProcess()
    let file = try file()
    _ = try write([1], to: file)
    #expect(try disk.lock(file))
    let seenByOther = try other.openFile("f", in: try other.openDirectory(at: "/"), .update)
    #expect(try !other.lock(seenByOther))
    #expect(try other.isLocked(seenByOther))
    disk.faults[disk.callCount + 1] = .kill
    #expect(throws: StintError.self) { try write([2], to: file) }
    #expect(!disk.isAlive)
    #expect(throws: StintError.self) { try write([3], to: file) }
    disk.close(file)
    #expect(other.isAlive)
    #expect(try other.lock(seenByOther))
    #expect(try other.readBytes(seenByOther, atMost: 9) == [1])
  }

  @Test("C1 a power loss ends every process, and leaves what the disk was waited for")
  func powerLoss() throws {
    let other = disk.anotherProcess()
    let root = try disk.openDirectory(at: "/")
    let kept = try file("kept")
    _ = try write([1], to: kept)
    try disk.synchronize(kept)
    let nameless = try file("without-name")
    _ = try write([2], to: nameless)
    try disk.synchronize(nameless)
    _ = try write([9], to: kept)
    #expect(disk.rebooted(.nothing).files() == [], "the names are not on the disk yet")
    try disk.remove("without-name", in: root)
    try disk.synchronize(root)
    _ = try file("empty")
    disk.faults[disk.callCount + 1] = .powerLoss
    #expect(throws: StintError.self) { try disk.synchronize(root) }
    #expect(!other.isAlive)
    #expect(throws: StintError.self) { try other.openDirectory(at: "/") }
    #expect(disk.rebooted(.nothing).files() == ["/kept"])
    #expect(disk.rebooted(.nothing).contents(of: "/kept") == [1])
    #expect(disk.rebooted(.everything).files() == ["/empty", "/kept"])
    #expect(disk.rebooted(.everything).contents(of: "/kept") == [9])
    let names = Set((0..<32).map { disk.rebooted(.some(seed: $0)).files() })
    #expect(names == [["/kept"], ["/empty", "/kept"]])
    let bytes = Set((0..<32).map { disk.rebooted(.some(seed: $0)).contents(of: "/kept") })
    #expect(bytes == [[1], [9]])
  }

  @Test("a call that is repeated is done once, and answers as a second one does")
  func repeated() throws {
    let root = try disk.openDirectory(at: "/")
    disk.setContents([1], of: "/a")
    let number = disk.node("/a")?.inode
    for kind in [FileCall.Kind.rename, .renameExclusively, .link, .remove, .makeDirectory] {
      disk.faults.add(.repeated, at: kind)
    }
    func code(_ call: () throws -> Void) -> Int32? {
      (#expect(throws: StintError.self) { try call() })?.errno
    }
    #expect(code { try disk.renameOnce("a", in: root, to: "b", in: root) } == ENOENT)
    #expect(code { try disk.renameExclusivelyOnce("b", in: root, to: "c", in: root) } == EEXIST)
    #expect(code { try disk.linkOnce("c", in: root, to: "d", in: root) } == EEXIST)
    #expect(code { try disk.remove("c", in: root) } == ENOENT)
    #expect(code { try disk.makeDirectory("e", in: root) } == EEXIST)
    #expect(disk.files() == ["/d"] && disk.node("/d")?.inode == number)
    #expect(disk.node("/e")?.kind == .directory)
  }

  @Test("a name that another file has, or that is gone, is still an error")
  func judgedByTheFile() throws {
    let root = try disk.openDirectory(at: "/")
    disk.setContents([1], of: "/a")
    disk.setContents([2], of: "/b")
    let calls: [(Int32, () throws(StintError) -> Void)] = [
      (EEXIST, { () throws(StintError) in try disk.link("a", in: root, to: "b", in: root) }),
      (
        EEXIST,
        { () throws(StintError) in try disk.renameExclusively("a", in: root, to: "b", in: root) }
      ),
      (ENOENT, { () throws(StintError) in try disk.rename("c", in: root, to: "b", in: root) }),
      (
        ENOENT,
        { () throws(StintError) in try disk.renameExclusively("c", in: root, to: "d", in: root) }
      ),
    ]
    for (code, call) in calls {
      let error = #expect(throws: StintError.self) { try call() }
      #expect(error?.errno == code)
    }
    #expect(disk.contents(of: "/a") == [1] && disk.contents(of: "/b") == [2])
  }

  @Test("a file server keeps a removed file that is open, under another name, until it is closed")
  func keepsOpenFiles() throws {
    disk.keepsOpenFiles = true
    disk.makeDirectories("/d")
    let directory = try disk.openDirectory(at: "/d")
    let root = try disk.openDirectory(at: "/")
    let file = try disk.openFile("a", in: directory, .create)
    try disk.remove("a", in: directory)
    let kept = try disk.list(directory)
    #expect(kept.count == 1 && kept.allSatisfy { $0.hasPrefix(".nfs") })
    let error = #expect(throws: StintError.self) { try disk.removeDirectory("d", in: root) }
    #expect(error?.errno == ENOTEMPTY)
    disk.close(file)
    #expect(try disk.list(directory) == [])
    try disk.removeDirectory("d", in: root)
  }

  @Test("a file without a name gets one, or is gone")
  func nameless() throws {
    let root = try disk.openDirectory(at: "/")
    let file = try disk.openNameless(in: root)
    _ = try write([1, 2], to: file)
    #expect(disk.files() == [])
    #expect(try disk.status(of: file).linkCount == 0)
    try disk.giveName("named", in: root, to: file)
    #expect(disk.contents(of: "/named") == [1, 2])
    #expect(try disk.status(of: file).linkCount == 1)
    #expect(throws: StintError.self) { try disk.giveNameOnce("named", in: root, to: file) }
    try disk.giveName("named", in: root, to: file)
    let other = try disk.openNameless(in: root)
    disk.close(other)
    #expect(disk.files() == ["/named"])
  }
}
