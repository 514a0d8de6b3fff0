import Foundation
import Glibc
import StintCore
import StintRuntime
import Testing

@testable import StintCommands

@Suite("The process that holds a job")
struct HolderTests {
  /// A child that does nothing until it is killed.
  final class Child {
    private let pid: pid_t
    /// Held open, so that the child waits for its input.
    private let input: Int32

    init(_ words: [String] = ["cat"]) throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      defer { close(ends[0]) }
      input = ends[1]
      _ = fcntl(input, F_SETFD, FD_CLOEXEC)
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      let arguments = (["env"] + words).map { strdup($0) } + [nil]
      let environment = [strdup("PATH=/usr/bin:/bin"), nil]
      defer { for text in arguments + environment { free(text) } }
      var child: pid_t = 0
      let status = posix_spawn(&child, "/usr/bin/env", &actions, nil, arguments, environment)
      pid = child
      try #require(status == 0)
    }

    deinit {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      close(input)
    }

    func holder(_ identity: StoreIdentity) throws -> LockHolder {
      let text =
        "{\"host\":\"\(identity.host)\",\"bootId\":\"\(identity.bootID)\",\"pid\":\(pid),"
        + "\"startTicks\":\(identity.startOfProcess(pid) ?? 0),\"unixSeconds\":1.5}"
      return try #require(LockHolder(contents: Array(text.utf8)))
    }
  }

  let identity = StoreIdentity.current()

  @Test("it is stopped, continued and ended through its descriptor")
  func signals() throws {
    let child = try Child()
    let process = try #require(HolderProcess(try child.holder(identity), seenBy: identity))
    #expect(!process.isStopped)
    try process.send(SIGSTOP)
    #expect(process.wait(atMost: .seconds(10), until: { process.isStopped }) == .met)
    try process.send(SIGCONT)
    #expect(process.wait(atMost: .seconds(10), until: { !process.isStopped }) == .met)
    try process.send(SIGKILL)
    #expect(process.wait(atMost: .seconds(10), until: { false }) == .ended)
  }

  @Test("a wait is over when its time is")
  func timeout() throws {
    let child = try Child()
    let process = try #require(HolderProcess(try child.holder(identity), seenBy: identity))
    #expect(process.wait(atMost: .zero, until: { false }) == .timedOut)
  }

  @Test("a process with the same number and another start, host or boot is not signalled")
  func another() throws {
    let child = try Child()
    let changes: [(inout LockHolder) -> Void] = [
      { $0.startTicks += 2 }, { $0.host = "elsewhere" }, { $0.bootId = "before" },
    ]
    for change in changes {
      var holder = try child.holder(identity)
      change(&holder)
      #expect(HolderProcess(holder, seenBy: identity) == nil)
    }
  }

  @Test("an ignored signal is seen")
  func ignored() throws {
    let child = try Child(["sh", "-c", "trap '' TSTP; exec cat"])
    let process = try #require(HolderProcess(try child.holder(identity), seenBy: identity))
    #expect(process.wait(atMost: .seconds(10), until: { process.ignores(SIGTSTP) }) == .met)
    #expect(!process.ignores(SIGTERM))
  }

  @Test("pause and watch of a job that nobody works on are refused; its stop is no error")
  func nobody() throws {
    let fixture = VerbFixture()
    let key = try fixture.waitingJob(1)
    expectError(.unavailable) { try PauseCommand(context: fixture.context("pause", key)).run() }
    expectError(.unavailable) {
      try WatchCommand(context: fixture.context("watch", key), output: StandardOutput()).run()
    }
    let stopped = try StopCommand(context: fixture.context("stop", key)).run()
    #expect(stopped.exitStatus == 0)
    #expect(stopped.output.contains("is not running"))
    #expect(try fixture.context("stop", key).view(of: key).summary.markers.isEmpty)
  }

  @Test("nobody can say whether a process works on a job that cannot be read")
  func unreadable() throws {
    let fixture = VerbFixture()
    let key = try fixture.waitingJob(1)
    let context = try fixture.context("stop", key)
    for state in JobState.allCases {
      var summary = context.catalog.summary(of: key)
      let expected: StintError.Code?
      switch state {
      case .foreign: expected = .unavailable
      case .damaged: expected = .damaged
      case .unreadable: expected = .io
      case .running, .paused, .waiting, .finished, .failed: expected = nil
      }
      if state == .damaged { summary.problem = StintError(.damaged, "it is torn") }
      let view = JobView(
        summary: summary, kind: KindTable.stint[summary.record?.kind ?? ""], state: state)
      do {
        try context.refuseUnreadable(view, to: "stopped")
        #expect(expected == nil, "\(state)")
      } catch let error as StintError {
        #expect(error.code == expected, "\(state): \(error.message)")
      }
    }
  }

  @Test("W11 stop leaves the mark that the worker obeys at its next checkpoint")
  func stop() throws {
    let fixture = VerbFixture()
    let job = try fixture.job(1)
    try job.materialize()
    let result = try StopCommand(context: fixture.context("stop", job.key)).run()
    #expect(result.output.contains("stops after its next checkpoint"))
    #expect(job.isSet(.stop))
  }

  @Test("C6 a job that is held on another machine is told from one that is held here")
  func elsewhere() throws {
    let fixture = VerbFixture()
    var identity = StoreIdentity.current()
    identity.host = "elsewhere"
    let job = try fixture.job(1, identity: identity)
    try job.materialize()
    expectError(saying: "on elsewhere", "on that machine") {
      try StopCommand(context: fixture.context("stop", job.key, "--now")).run()
    }
  }
}
