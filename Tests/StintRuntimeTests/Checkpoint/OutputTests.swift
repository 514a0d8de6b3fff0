import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Output")
struct OutputTests {
  private let scratch = ScratchDirectory()
  private let text = "what the job computed\n"

  private func path(_ name: String) -> String { scratch.path + "/" + name }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: path(name), atomically: false, encoding: .utf8)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  private func job(startsOver: Bool = false) throws -> Job {
    try StoreFixture.realJob(at: path("jobs"), startsOver: startsOver)
  }

  /// A job with a complete partial file, published.
  @discardableResult
  private func publish(
    _ destination: OutputDestination, job: Job, replacesOthers: Bool = false,
    fileSystem: any FileSystem = PosixFileSystem()
  ) throws -> OutputFile.Published {
    let file = try job.workspace.partialFile(named: "result")
    try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    let output = OutputFile(destination, replacesOthers: replacesOthers, fileSystem: fileSystem)
    let result = try output.publish(partialFileNamed: "result", in: job.workspace)
    #expect(output.published == result)
    return result
  }

  /// What is beside the jobs directory.
  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        .filter { $0 != "jobs" }
    }
  }

  @Test("W9 a result appears whole under its name, with its checksum and ordinary permissions")
  func newFile() throws {
    let result = try publish(try OutputDestination(path("f.txt")), job: try job())
    #expect(try read("f.txt") == text)
    #expect(try names == ["f.txt"])
    #expect(result.sizeBytes == text.utf8.count)
    #expect(result.checksum == XXH3Checksum.digest(Array(text.utf8)).description)
    var status = stat()
    #expect(stat(path("f.txt"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o666 & ~StoreIdentity.fileModeMask)
  }

  @Test("W9 publishing again after a kill gives the same file, and writing again leaves it alone")
  func again() throws {
    let destination = try OutputDestination(path("f.txt"))
    try publish(destination, job: try job())
    // The next process: no finish was recorded, the partial file still shares its bytes with the
    // result.
    let job = try job()
    let output = OutputFile(destination, replacesOthers: false)
    let existing = try output.existing(recorded: job.summary.publishing)
    guard case .result = existing else {
      Issue.record("the own result is taken for \(existing)")
      return
    }
    let file = try job.workspace.partialFile(named: "result")
    try file.truncate(to: 3)
    #expect(try read("f.txt") == text)
    try publish(destination, job: job)
    #expect(try read("f.txt") == text)
    #expect(try names == ["f.txt"])
    try job.removeCheckpoints()
    #expect(try read("f.txt") == text)
  }

  @Test("W9 publishing twice in one process leaves one file")
  func twice() throws {
    let destination = try OutputDestination(path("f.txt"))
    let job = try job()
    try publish(destination, job: job)
    try publish(destination, job: job)
    #expect(try read("f.txt") == text)
    #expect(try names == ["f.txt"])
  }

  @Test("C6 W9 of two processes that computed the same, the one that is refused touches nothing")
  func twoProcesses() throws {
    let destination = try OutputDestination(path("f.txt"))
    // Both began before there was a directory.
    var first: Job? = try job()
    var second: Job? = try job()
    try first?.materialize()
    let temporary = try ".f.txt.\(#require(second).key.suffix(16)).stint"
    try write("of the first", to: temporary)
    expectError(.busy) { try publish(destination, job: try #require(second)) }
    #expect(try names == [temporary])
    try publish(destination, job: try #require(first))
    first = nil
    // Now it is free, and what stands there is what this one has, too.
    try publish(destination, job: try #require(second))
    second = nil
    #expect(try read("f.txt") == text)
    #expect(try names == ["f.txt"])

    try write("not \(text.dropFirst(4))", to: "f.txt")
    expectError(.cannotCreate) { try publish(destination, job: try job(startsOver: true)) }
  }

  @Test("W9 a partial file that is gone is not published as an empty one")
  func missing() throws {
    let job = try job()
    let output = OutputFile(try OutputDestination(path("f.txt")), replacesOthers: false)
    expectError(.damaged) { try output.publish(partialFileNamed: "result", in: job.workspace) }
    #expect(try names == [])
  }

  @Test("a file that is not the job's result is replaced only when asked for")
  func others() throws {
    try write("mine", to: "f.txt")
    chmod(path("f.txt"), 0o640)
    let destination = try OutputDestination(path("f.txt"))
    let job = try job()
    let error = expectError(.cannotCreate) { try publish(destination, job: job) }
    #expect(error?.remedies.contains(.replaceOutput) == true)
    #expect(try read("f.txt") == "mine")
    try publish(destination, job: job, replacesOthers: true)
    #expect(try read("f.txt") == text)
    var status = stat()
    #expect(stat(path("f.txt"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(try names == ["f.txt"])
  }

  @Test(
    "a finished result that was changed is somebody else's file, one that was deleted is made again"
  )
  func changedResult() throws {
    let destination = try OutputDestination(path("f.txt"))
    try publish(destination, job: try job())
    let output = OutputFile(destination, replacesOthers: false)
    let recorded = try #require(try job().summary.publishing)
    try write(text.replacing("computed", with: "cOmputed"), to: "f.txt")
    #expect(try output.existing(recorded: recorded) == .other)
    #expect(throws: StintError.self) { try output.check(.other) }
    try FileManager.default.removeItem(atPath: path("f.txt"))
    #expect(try output.existing(recorded: recorded) == .nothing)
  }

  @Test("starting over may replace the result of before")
  func startingOver() throws {
    let destination = try OutputDestination(path("f.txt"))
    try publish(destination, job: try job())
    try publish(destination, job: try job(startsOver: true))
    #expect(try read("f.txt") == text)
  }

  @Test("a file that takes the name during the work is not replaced")
  func appears() throws {
    let destination = try OutputDestination(path("f.txt"))
    #expect(try OutputFile(destination, replacesOthers: false).existing(recorded: nil) == .nothing)
    try write("mine", to: "f.txt")
    #expect(throws: StintError.self) { try publish(destination, job: try job()) }
    #expect(try read("f.txt") == "mine")
    #expect(try names == ["f.txt"])
  }

  @Test("a link is resolved once at the start, also one that points nowhere yet")
  func links() throws {
    try write("mine", to: "real.txt")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: path("link"), withDestinationPath: "real.txt")
    let destination = try OutputDestination(path("link"))
    #expect(destination == (try OutputDestination(path("real.txt"))))
    try manager.removeItem(atPath: path("link"))
    try write("not this one", to: "link")
    try publish(destination, job: try job(), replacesOthers: true)
    #expect(try read("real.txt") == text)
    #expect(try read("link") == "not this one")

    try manager.createSymbolicLink(atPath: path("dangling"), withDestinationPath: "new.txt")
    #expect(
      try OutputDestination(path("dangling")) == (try OutputDestination(path("new.txt"))))
    try manager.createSymbolicLink(atPath: path("loop"), withDestinationPath: "loop")
    #expect(throws: StintError.self) { try OutputDestination(path("loop")) }
  }

  @Test("what cannot be created is said at the start, with the errno")
  func refused() throws {
    #expect(mkdir(path("dir"), 0o700) == 0)
    try write("", to: "file")
    let refusals: [(String, Int32)] = [
      (path("dir"), EISDIR), (path("dir/"), EISDIR), (path("new/"), EISDIR),
      (path("none/f.txt"), ENOENT), (path("file/f.txt"), ENOTDIR),
      (path(String(repeating: "n", count: 300)), ENAMETOOLONG),
    ]
    for (path, code) in refusals {
      expectError(.cannotCreate, errno: code, comment: "\(path)") { try OutputDestination(path) }
    }
    #expect(throws: StintError.self) { try OutputDestination("") }
    if geteuid() != 0 {
      chmod(path("dir"), 0o500)
      expectError(errno: EACCES) { try OutputDestination(path("dir/f.txt")) }
    }
  }

  @Test("devices, pipes and the process's own descriptors are streams and never replaced")
  func streams() throws {
    #expect(try OutputDestination(nil).target == .descriptor(1))
    #expect(try OutputDestination("-").target == .descriptor(1))
    #expect(try OutputDestination("/dev/stdout").target == .descriptor(1))
    #expect(try OutputDestination("/dev/null").target == .stream(path: "/dev/null"))
    #expect(mkfifo(path("fifo"), 0o600) == 0)
    #expect(try OutputDestination(path("fifo")).target == .stream(path: FilePath(path("fifo"))))
    try publish(try OutputDestination("/dev/null"), job: try job())
    var status = stat()
    #expect(stat("/dev/null", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFCHR)
    expectError(errno: ENOSPC) { try publish(try OutputDestination("/dev/full"), job: try job()) }
  }

  @Test("only a descriptor that was inherited and can be written is an output")
  func descriptors() throws {
    // What this process opens itself stands for a lock or a checkpoint of ours.
    let own = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let inherited = open("/dev/null", O_WRONLY)
    let unwritable = open("/dev/null", O_RDONLY)
    defer { for descriptor in [own, inherited, unwritable] { close(descriptor) } }
    #expect(try OutputDestination("/dev/fd/\(inherited)").target == .descriptor(inherited))
    #expect(
      try OutputDestination("/proc/self/fd/\(inherited)").target == .descriptor(inherited))
    for name in ["\(own)", "\(unwritable)", "1048577", "-1", "x", "", "1/../2"] {
      expectError(.cannotCreate, errno: EBADF, comment: "\(name)") {
        try OutputDestination("/dev/fd/" + name)
      }
    }
  }

  @Test("a folder for many results is one that is there, or one that can be made where it is to be")
  func folders() throws {
    #expect(mkdir(path("dir"), 0o700) == 0)
    #expect(symlink("dir", path("link")) == 0)
    try write("", to: "file")
    let there = try OutputDestination(folder: path("dir"))
    #expect(there.path?.text.hasSuffix("/dir") == true)
    #expect(try OutputDestination(folder: path("dir/")) == there)
    #expect(try OutputDestination(folder: path("link")) == there)
    let new = try OutputDestination(folder: path("new"))
    #expect(new.path?.text.hasSuffix("/new") == true)
    #expect(try OutputDestination(folder: path("new///")) == new)
    #expect(try names == ["dir", "file", "link"], "looking makes nothing")

    let refusals = [
      (path("file"), ENOTDIR), (path("file/in"), ENOTDIR), (path("none/new"), ENOENT),
    ]
    for (path, code) in refusals {
      expectError(.cannotCreate, errno: code, comment: "\(path)") {
        try OutputDestination(folder: path)
      }
    }
    expectError(.usage) { try OutputDestination(folder: "") }

    // One result is neither streamed into a folder nor put in its place.
    expectError(.usage) { try there.openStream() }
    expectError(.usage) { try publish(there, job: try job()) }
    #expect(try names == ["dir", "file", "link"])
  }

  @Test("a folder that is missing is named beside the output")
  func missingFolder() throws {
    let error = expectError(.cannotCreate, errno: ENOENT) { try OutputDestination(path("no/f")) }
    #expect(error?.message.contains(path("no/f")) == true)
    #expect(error?.message.contains("folder \(path("no")):") == true)
  }

  @Test("only a terminal shows a result to people")
  func terminal() throws {
    #expect(try !OutputDestination("/dev/null").isTerminal)
    #expect(try !OutputDestination(path("f")).isTerminal)
    // A pair of a pseudo-terminal: its own end is one.
    let end = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    defer { close(end) }
    try #require(end >= 0)
    #expect(try OutputDestination("/dev/fd/\(end)").isTerminal)
  }

  @Test("a stream needs no directory")
  func streamLeavesNothing() throws {
    let job = try job()
    try publish(try OutputDestination("/dev/null"), job: job)
    #expect(!job.isMaterialized)
  }

  @Test("a pipe gets every byte, and a reader that has gone can be told from other failures")
  func pipes() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let job = try job()
    let destination = try OutputDestination("/dev/fd/\(ends[1])")
    try publish(destination, job: job)
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(ends[0], $0.baseAddress!, $0.count) }
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == text)
    close(ends[0])
    expectError(errno: EPIPE) { try publish(destination, job: job) }
    close(ends[1])
  }

  @Test("a result on another file system is copied beside its name first")
  func copies() throws {
    let result = try publish(
      try OutputDestination(path("f.txt")), job: try job(), fileSystem: NoLinksFileSystem())
    #expect(try read("f.txt") == text)
    #expect(try names == ["f.txt"])
    #expect(result.checksum == XXH3Checksum.digest(Array(text.utf8)).description)
  }

  @Test("space that is missing is named with both figures")
  func space() throws {
    let destination = try OutputDestination(path("f.txt"))
    try destination.checkSpace(forBytes: 1)
    expectError(.unavailable, errno: ENOSPC, saying: "\(Int.max) are needed") {
      try destination.checkSpace(forBytes: .max)
    }
  }

  @Test(
    "partial files have plain names", arguments: ["", ".", "..", "a/b", "../x", ".x", "a b", "ä"])
  func partialNames(name: String) throws {
    let job = try job()
    #expect(throws: StintError.self) { try job.workspace.partialFile(named: name) }
    #expect(!job.isMaterialized)
  }

  @Test("a partial file that is shorter than a read is damaged, not garbage")
  func shortPartial() throws {
    let file = try job().workspace.partialFile(named: "digits")
    try file.truncate(to: 3)
    var bytes = [UInt8](repeating: 0, count: 4)
    expectError(.damaged) { try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } }
    #expect(throws: StintError.self) { try file.truncate(to: -1) }
  }
}
