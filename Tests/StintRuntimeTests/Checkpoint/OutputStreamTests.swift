import Foundation
import Glibc
import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("Output to pipes and other streams")
struct OutputStreamTests {
  private let scratch = ScratchDirectory()
  private let text = "what the job computed\n"

  private func path(_ name: String) -> String { scratch.path + "/" + name }

  /// The output of a job whose partial file is complete.
  private func output(
    to target: OutputDestination.Target
  ) throws -> (file: OutputFile, workspace: any Workspace) {
    let job = try StoreFixture.realJob(at: path("jobs"))
    let file = try job.workspace.partialFile(named: "result")
    try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    return (OutputFile(OutputDestination(target: target), replacesOthers: false), job.workspace)
  }

  @Test("W10 only what a program reads is a pipe: a descriptor or a path, of a pipe or a socket")
  func isPipe() throws {
    var (ends, pair): ([Int32], [Int32]) = ([0, 0], [0, 0])
    #expect(pipe(&ends) == 0)
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let regular = open(path("regular"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { for descriptor in ends + pair + [regular, null] { close(descriptor) } }
    #expect(mkfifo(path("fifo"), 0o600) == 0)
    func isPipe(_ target: OutputDestination.Target) -> Bool {
      OutputDestination(target: target).isPipe
    }
    for descriptor in ends + pair { #expect(isPipe(.descriptor(descriptor))) }
    for descriptor in [regular, null, -1] { #expect(!isPipe(.descriptor(descriptor))) }
    #expect(isPipe(.stream(path: FilePath(path("fifo")))))
    for path in ["/dev/null", path("none")] { #expect(!isPipe(.stream(path: FilePath(path)))) }
    // What is replaced as a whole is read by nobody meanwhile, whatever stands there.
    #expect(!isPipe(.file(directory: FilePath(scratch.path), name: "fifo")))
    #expect(!isPipe(.folder(FilePath(scratch.path))))
  }

  @Test("W10 a result is cut when a part of it went where nothing can be taken back, and not all")
  func isCut() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let (whole, workspace) = try output(to: .descriptor(ends[1]))
    #expect(!whole.isCut, "nothing has begun")
    try whole.publish(partialFileNamed: "result", in: workspace)
    #expect(!whole.isCut, "all of it went out")
    // The reader goes, whoever else has a copy of its descriptor.
    #expect(shutdown(ends[0], Int32(SHUT_RDWR)) == 0)
    let (half, other) = try output(to: .descriptor(ends[1]))
    expectError(errno: EPIPE) { try half.publish(partialFileNamed: "result", in: other) }
    #expect(half.isCut)
    // A regular file that this process was started with can be written anew.
    try text.write(toFile: path("regular"), atomically: false, encoding: .utf8)
    let regular = open(path("regular"), O_RDONLY | O_CLOEXEC)
    defer { close(regular) }
    let (file, third) = try output(to: .descriptor(regular))
    #expect(throws: StintError.self) { try file.publish(partialFileNamed: "result", in: third) }
    #expect(!file.isCut)
  }

  @Test("a standard output that is closed or cannot be written is refused with what to do")
  func standardOutput() async {
    await #expect(processExitsWith: .success) {
      let unwritable = open("/dev/null", O_RDONLY | O_CLOEXEC)
      for isOpen in [false, true] {
        if isOpen { dup2(unwritable, STDOUT_FILENO) } else { close(STDOUT_FILENO) }
        for argument in [nil, "-"] {
          let error = expectError(.cannotCreate, errno: EBADF) { try OutputDestination(argument) }
          #expect(error?.message == "the standard output is closed or cannot be written")
          #expect(error?.remedies == [.nameOutput])
        }
      }
    }
  }

  @Test("a chain of links to a file that is new is followed as far as the kernel follows one")
  func longChain() throws {
    // Each link leads to the one before, and the first one to a name that is free.
    for number in 1...41 {
      let target = number == 1 ? "new.txt" : "link-\(number - 1)"
      #expect(symlink(target, path("link-\(number)")) == 0)
    }
    #expect(try OutputDestination(path("link-39")) == OutputDestination(path("new.txt")))
    for number in 40...41 {
      expectError(.cannotCreate, errno: ELOOP) { try OutputDestination(path("link-\(number)")) }
    }
  }

  @Test("a result is published from a job's own workspace alone")
  func foreignWorkspace() throws {
    let (file, _) = try output(to: .file(directory: FilePath(scratch.path), name: "f"))
    expectError(.usage) { try file.publish(partialFileNamed: "result", in: MemoryWorkspace()) }
    #expect(file.published == nil)
    #expect(access(path("f"), F_OK) != 0)
  }
}
