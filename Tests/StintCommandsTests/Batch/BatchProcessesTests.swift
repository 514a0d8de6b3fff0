import Foundation
import Glibc
import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintCommands

@Suite("The processes of a batch's lines")
struct BatchProcessesTests {
  @Test("A19 a process that floods its events does not keep the others from being killed")
  func flood() async throws {
    let fixture = VerbFixture()
    let system = await VirtualSystem(policy: .commandLine)
    let processes = try BatchProcesses(
      program: "/bin/sh", environment: ["PATH": "/usr/bin:/bin"], defaults: [],
      driver: system.driver)
    let (seen, ended) = (Protected(0), Protected<BatchExit?>(nil))
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
        events: { bytes in seen.withLock { $0 += bytes.count } },
        end: { exit in if line == 1 { ended.withLock { $0 = exit } } })
    }
    let limit = ContinuousClock.now + .seconds(60)
    while seen.withLock({ $0 }) < 1 << 24, ContinuousClock.now < limit { usleep(1_000) }
    processes.send(SIGKILL, to: [1])
    while ended.withLock({ $0 }) == nil, ContinuousClock.now < limit { usleep(1_000) }
    #expect(ended.withLock { $0 } == .signalled(SIGKILL))
    processes.killAll {}
  }
}
