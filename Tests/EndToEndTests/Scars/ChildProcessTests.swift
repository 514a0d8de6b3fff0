import CStint
import Foundation
import Glibc
import Stint
import Testing

extension EndToEnd {
  /// Children of the work, as far as one process can answer for them.
  ///
  /// What waits for the supervisor (`stint exec`): children spawned with signals reset, and the end
  /// of a grandchild that left the group where there is no process 1.
  @Suite("Children")
  struct ChildProcessTests {
    @Test(
      "R9 a child that a chunk starts is not deaf: it has the process's mask, and SIGTERM ends it")
    func startedByChunk() async throws {
      let scratch = try Scratch()
      let path = scratch.path
      await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
        var computation = SteppingComputation(path: path)
        computation.inStep = { step in
          guard step == 2 else { return }
          // No shell: some of them unblock signals for what they run.
          var status: Int32 = 0
          let copy = ChildProcessTests.spawn(["/bin/cp", "/proc/self/status", path + "/child"])
          while waitpid(copy, &status, 0) < 0, errno == EINTR {}
          let child = ChildProcessTests.spawn(["/bin/sleep", "20"])
          kill(child, SIGTERM)
          while waitpid(child, &status, 0) < 0, errno == EINTR {}
          let own = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
          try? own?.write(toFile: path + "/own", atomically: true, encoding: .utf8)
          try? "\(status)".write(toFile: path + "/status", atomically: true, encoding: .utf8)
        }
        try await computation.runProcess(budget: .seconds(20), lead: .seconds(5))
      }
      #expect(scratch.text("status") == "\(SIGTERM)", "the wait status of a process ended by it")
      for field in ["SigBlk", "SigIgn"] {
        let own = try #require(Self.signals(field, in: scratch.text("own")))
        #expect(own == Self.signals(field, in: scratch.text("child")), "\(field)")
      }
      #expect(scratch.text("f") == SteppingComputation.result)
    }

    @Test("R9 process 1 hands a signal on to the whole group: a child of the work gets it, too")
    func wholeGroup() async {
      await #expect(processExitsWith: .exitCode(42)) {
        // Twice: this process has other threads, on which a signal would end it; its child has one,
        // as process 1 has.
        guard stint_fork_and_serve() == 0, stint_fork_and_serve() == 0 else { exit(1) }
        ChildProcessTests.unblockSignals()
        let child = ChildProcessTests.spawn(["/bin/sleep", "20"])
        // The worker itself goes on, to see what becomes of its child.
        signal(SIGTERM, SIG_IGN)
        kill(getppid(), SIGTERM)
        alarm(60)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        _exit(status == SIGTERM ? 42 : 1)
      }
    }

    @Test(
      "R9 a grandchild in a session of its own does not survive process 1",
      .enabled(if: geteuid() == 0, "a PID namespace needs root"))
    func grandchild() async throws {
      let scratch = try Scratch()
      let path = scratch("alive")
      try #require(mkfifo(path, 0o600) == 0)
      let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      try #require(reader >= 0)
      defer { close(reader) }
      await #expect(processExitsWith: .exitCode(75)) { [path = path as String] in
        // The next child is process 1 of a namespace, in which everything dies with it.
        typealias Unshare = @convention(c) (Int32) -> Int32
        let newProcesses: Int32 = 0x2000_0000
        guard let symbol = dlsym(nil, "unshare"),
          unsafeBitCast(symbol, to: Unshare.self)(newProcesses) == 0,
          stint_fork_and_serve() == 0
        else { exit(2) }
        guard getpid() == 1, stint_fork_if_process_one() == 0, getpid() != 1 else { _exit(3) }
        ChildProcessTests.unblockSignals()
        // It is alive as long as anybody has the pipe open for writing; close-on-exec is left out
        // on purpose.
        let writer = open(path, O_WRONLY)
        guard writer >= 0, write(writer, "x", 1) == 1 else { _exit(4) }
        let setsid = ChildProcessTests.spawn(["/usr/bin/setsid", "--fork", "/bin/sleep", "20"])
        var status: Int32 = 0
        while waitpid(setsid, &status, 0) < 0, errno == EINTR {}
        _exit(status == 0 ? 75 : 5)
      }
      var byte: UInt8 = 0
      #expect(read(reader, &byte, 1) == 1, "it was alive")
      // Zero is the end of the pipe: the last writer is gone. As long as one lives it is -1 with
      // EAGAIN.
      try await waitUntil("the end of the grandchild", atMost: .seconds(10)) {
        read(reader, &byte, 1) == 0
      }
    }

    /// The signals of a field of a status file, without those that the C library keeps for itself.
    private static func signals(_ field: String, in status: String) -> UInt64? {
      status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        .flatMap { UInt64($0.dropFirst(field.count + 2), radix: 16) }.map { $0 & 0x7fff_ffff }
    }

    /// Starts a program with the signals of this thread.
    static func spawn(_ command: [String]) -> pid_t {
      var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
      defer { arguments.forEach { free($0) } }
      var pid: pid_t = 0
      guard posix_spawn(&pid, command[0], nil, nil, &arguments, environ) == 0 else { _exit(6) }
      return pid
    }

    /// Threads of the test runner's pool block signals; a program's main thread does not.
    static func unblockSignals() {
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
    }
  }
}
