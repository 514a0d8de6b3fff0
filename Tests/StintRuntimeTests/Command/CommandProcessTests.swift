import CStint
import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Processes of commands", .serialized)
struct CommandProcessTests {
  private static func start(_ words: String...) throws -> CommandProcess {
    var command = CommandSpecification(words)
    command.tell(deadline: nil, budget: nil, stint: 1)
    return CommandProcess(processID: try command.start().get(), leadsGroup: true)
  }

  @Test("R9 both ways to list children find one, and lose it when it is reaped")
  func children() throws {
    let process = try Self.start("sleep", "1000")
    #expect(OwnChildren.list().contains(process.processID))
    #expect(OwnChildren.listByParent().contains(process.processID))
    #expect(process.end() == nil)
    #expect(getpgid(process.processID) == process.processID)
    process.signal(SIGKILL)
    // Waits for its end.
    process.reap()
    #expect(!OwnChildren.list().contains(process.processID))
    #expect(!OwnChildren.listByParent().contains(process.processID))
  }

  @Test("L8 an end is seen as often as one looks, and the number stays its own until it is reaped")
  func ends() throws {
    for (words, expected) in [
      (["sh", "-c", "exit 3"], CommandEnd.exited(3)),
      (["sh", "-c", "kill -TERM $$"], .signalled(15, dumpedCore: false)),
    ] {
      let processID = try CommandSpecification(words).start().get()
      let process = CommandProcess(processID: processID, leadsGroup: true)
      var info = siginfo_t()
      #expect(waitid(P_PID, id_t(processID), &info, Int32(WEXITED) | Int32(WNOWAIT)) == 0)
      for _ in 1...3 { #expect(process.end() == expected) }
      #expect(kill(processID, 0) == 0)
      process.reap()
      #expect(process.end() == nil)
    }
  }

  @Test("R9 a family whose members end as soon as they have a child is never lost from sight")
  func relay() async {
    await #expect(processExitsWith: .success) {
      stint_adopt_orphans(1)
      let done = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
      defer { unlink(done) }
      let process = try CommandProcessTests.start(
        "python3", "-c",
        """
        import os, sys
        for _ in range(600):
            if os.fork(): os._exit(0)
        open(sys.argv[1], "w").close()
        """, done)
      while process.end() == nil {}
      while process.hasFamily() {}
      try #require(access(done, F_OK) == 0)
      process.reap()
    }
  }

  @Test("R9 a family that forks without end is killed to its last member, in other sessions too")
  func family() async {
    await #expect(processExitsWith: .success) {
      stint_adopt_orphans(1)
      let mark = "1000.\(UInt32.random(in: 100_000...999_999))"
      let process = try CommandProcessTests.start(
        "bash", "-c",
        """
        trap "" TERM
        fork() { while :; do setsid sleep \(mark) & done; }
        fork & setsid bash -c "while :; do (sleep \(mark) &) ; done" & wait
        """)
      let older = try CommandSpecification(["sleep", "1000"]).start().get()
      func members() -> Int {
        KernelFile.numbers(in: "/proc").count {
          KernelFile.text("/proc/\($0)/cmdline")?.contains(mark) ?? false
        }
      }
      while members() < 100 {}
      #expect(
        ProcessFamily.kill {
          ProcessFamily.orphans(besides: [older])
        })
      // A dying process has no command line any more, or soon none.
      let limit = BootClock.now.advanced(by: .seconds(30))
      while ProcessFamily.kill({ ProcessFamily.orphans(besides: [older]) }), BootClock.now < limit {
        _ = ProcessFamily.reap(ProcessFamily.orphans(besides: [older]))
      }
      try #require(members() == 0)
      try #require(OwnChildren.end(of: older) == nil)
      kill(older, SIGKILL)
      _ = process
    }
  }

  @Test("R9 started with SIGCHLD ignored, this process sees its programs end")
  func ignoredChildren() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      try #require(
        ProgramCall(["sh", "-c", "exit 3"], within: .seconds(20)).run()
          == .ended(3, output: [], errors: []))
    }
  }

  @Test("a failed start says how far it came, and leaves no process")
  func failures() {
    func failure(_ words: String...) -> CommandStartFailure? {
      do {
        _ = try CommandSpecification(words).start().get()
        return nil
      } catch {
        return error
      }
    }
    #expect(failure("/no/such/program") == CommandStartFailure(stage: .program, errno: ENOENT))
    #expect(failure("no-such-program") == CommandStartFailure(stage: .program, errno: ENOENT))
    #expect(failure("/etc/passwd") == CommandStartFailure(stage: .program, errno: EACCES))
    #expect(failure("/etc") == CommandStartFailure(stage: .program, errno: EACCES))
    #expect(failure("") == CommandStartFailure(stage: .program, errno: ENOENT))
  }

  @Test("a word list longer than a page, and a script without an interpreter line, are run")
  func unusualCommands() throws {
    let scratch = ScratchDirectory()
    let script = scratch.path + "/script"
    try Data("exit $(($# % 256))\n".utf8).write(to: URL(fileURLWithPath: script))
    chmod(script, 0o755)
    var command = CommandSpecification([script] + (1...20_007).map { "\($0)" })
    command.leadsGroup = false
    let process = CommandProcess(processID: try command.start().get(), leadsGroup: false)
    var info = siginfo_t()
    #expect(waitid(P_PID, id_t(process.processID), &info, Int32(WEXITED) | Int32(WNOWAIT)) == 0)
    #expect(process.end() == .exited(20_007 % 256))
    process.reap()
  }
}
