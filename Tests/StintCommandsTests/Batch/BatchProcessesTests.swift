import Dispatch
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("The processes of a batch's lines")
struct BatchProcessesTests {
  @Test("A19 a process that floods its events does not keep the others from being killed")
  func flood() async {
    // A process of its own: the children of this one are those of other tests, too.
    await #expect(processExitsWith: .success) { @MainActor in try Self.flood() }
  }

  @MainActor
  private static func flood() throws {
    let fixture = VerbFixture()
    let system = VirtualSystem(policy: .commandLine)
    let processes = try BatchProcesses(
      program: ProgramFile("/bin/sh"), defaults: [], driver: system.driver)
    let seen = Protected(0)
    let (isFlooded, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for line in 0...1 {
      processes.start(
        BatchLaunch(
          line: line, number: line + 1,
          arguments: line == 0
            ? ["-c", "exec yes 0123456789abcdef0123456789abcdef >$0", BatchLaunch.eventsPlace]
            : ["-c", "exec sleep 100"],
          wantsEvents: line == 0, speaks: false, deadline: nil,
          outputPath: fixture.path + "/\(line).out", errorPath: fixture.path + "/\(line).err",
          kept: .nothing),
        events: { bytes in
          let count = seen.withLock { seen in
            seen += bytes.count
            return seen
          }
          if count > 1 << 24 { isFlooded.signal() }
        },
        end: { exit in if line == 1, exit == .signalled(SIGKILL) { hasEnded.signal() } })
    }
    try #require(isFlooded.wait(timeout: .now() + 60) == .success)
    processes.kill([1]) {}
    try #require(hasEnded.wait(timeout: .now() + 60) == .success)
    processes.kill(nil) {}
  }
}
