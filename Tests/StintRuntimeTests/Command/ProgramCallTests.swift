import CStint
import Foundation
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Calls of other programs", .serialized)
struct ProgramCallTests {
  private static func shell(
    _ script: String, within patience: Duration = .seconds(20)
  ) -> ProgramCall {
    ProgramCall(["sh", "-c", script], within: patience)
  }

  @Test("both outputs and the status come back apart")
  func outputs() {
    let outcome = Self.shell("echo one; echo two >&2; exit 3").run()
    #expect(outcome == .ended(3, output: Array("one\n".utf8), errors: Array("two\n".utf8)))
    #expect(Self.shell("kill -TERM $$").run() == .ended(143, output: [], errors: []))
  }

  @Test("E2 one that hangs is killed when its time is over, and is no child any more")
  func hangs() throws {
    let scratch = ScratchDirectory()
    let file = scratch.path + "/process"
    let call = Self.shell("echo $$ >\(file); exec sleep 1000", within: .seconds(2))
    #expect(call.run() == .tookTooLong(.seconds(2)))
    let processID = Int32(try String(contentsOfFile: file, encoding: .utf8).dropLast())
    #expect(!OwnChildren.list().contains(try #require(processID)))
  }

  @Test("E2 one that lets a descendant keep its output holds nothing up")
  func descendants() {
    let began = BootClock.now
    let outcome = Self.shell("sleep 30 & echo $!").run()
    #expect(began.duration(to: BootClock.now) < .seconds(20))
    guard case .ended(0, let output, _) = outcome,
      let processID = Int32(String(decoding: output.dropLast(), as: UTF8.self))
    else {
      Issue.record("\(outcome)")
      return
    }
    kill(processID, SIGKILL)
  }

  @Test("E2 of an output without end so much is kept as an answer can have")
  func flood() {
    let outcome = Self.shell("head -c 5000000 /dev/zero").run()
    guard case .ended(0, let output, _) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(output.count == 1 << 20)
  }

  @Test("E2 no descriptor is left open by a call, and none of others is closed")
  func descriptors() throws {
    let done = Protected(false)
    let others = SerialThread(name: "others")
    let lost = Protected(0)
    others.enqueue {
      while !done.withLock({ $0 }) {
        let mine = open("/dev/null", O_RDONLY | O_CLOEXEC)
        sched_yield()
        if fcntl(mine, F_GETFD) < 0 { lost.withLock { $0 += 1 } }
        close(mine)
      }
    }
    for _ in 0..<50 { _ = ProgramCall(["true"], within: .seconds(20)).run() }
    done.withLock { $0 = true }
    #expect(lost.withLock { $0 } == 0)
  }

  @Test("one that is not there is not started")
  func absent() {
    #expect(
      ProgramCall(["stint-no-such-program"], within: .seconds(1)).run()
        == .notStarted(errno: ENOENT))
  }

  @Test("E2 variables that change what it prints are withheld, and others are set")
  func variables() {
    setenv("STINT_TEST_WITHHELD", "1", 1)
    defer { unsetenv("STINT_TEST_WITHHELD") }
    var call = Self.shell("echo ${STINT_TEST_WITHHELD-gone} $TZ")
    call.withheld = ["STINT_TEST_WITHHELD"]
    call.variables = ["TZ": "UTC"]
    #expect(call.run() == .ended(0, output: Array("gone UTC\n".utf8), errors: []))
  }
}
