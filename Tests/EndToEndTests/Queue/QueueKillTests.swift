import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("A queue whose server is killed")
  struct QueueKillTests {
    /// Twenty steps, each of which is saved; SIGTERM is heard, and two at once are told.
    static let work = """
      import fcntl, os, signal, sys, time
      number, told = sys.argv[1], []
      signal.signal(signal.SIGTERM, lambda *_: told.append(1))
      lock = open("lock" + number, "w")
      try:
          fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
      except OSError:
          open("doubled", "a").write(number + "\\n")
          sys.exit(3)
      steps = "steps" + number
      done = os.path.getsize(steps) if os.path.exists(steps) else 0
      while done < 20:
          time.sleep(0.03)
          open(steps, "a").write("x")
          done += 1
          if told:
              open("saved", "a").write(number + "\\n")
              sys.exit(75)
      open("done" + number, "w").close()
      """

    static func submit(_ words: [String], in scratch: Scratch, _ options: [String] = [])
      async throws
    {
      try await scratch.start(["submit", "--engine", "local"] + options + ["--"] + words).wait()
        .requireExit(0)
    }

    static func submitWork(_ count: Int, in scratch: Scratch) async throws {
      try scratch.write(work, to: "work.py")
      for number in 1...count {
        try await submit(["/usr/bin/python3", "work.py", "\(number)"], in: scratch)
      }
    }

    /// Wakes the queue until nothing that has begun is left.
    static func finish(in scratch: Scratch, places: Int = 3) async throws {
      for _ in 0..<40 {
        let wake = try await scratch.start(["wake", "-j", "\(places)"]).wait(atMost: .seconds(120))
        if wake.end == .exited(0) { return }
        wake.expectExit(75)
        // A request that crashed waits for ten seconds before it is tried again.
        try await Task.sleep(for: .seconds(1))
      }
      Issue.record("the queue is not empty")
    }

    /// How many requests have said that they are done.
    ///
    /// A kill between that and the record of the end lets one say so again.
    static func done(in scratch: Scratch) -> Int {
      scratch.names(in: ".").count { $0.hasPrefix("done") }
    }

    static func expectEachOnce(_ count: Int, in scratch: Scratch, _ comment: Comment? = nil) {
      #expect(Self.done(in: scratch) == count, comment)
      #expect(!scratch.exists("doubled"), comment)
      // Each step was done once, and none is lost.
      for number in 1...count {
        #expect(scratch.text("steps\(number)") == String(repeating: "x", count: 20), comment)
      }
    }

    @Test("Q6 killed at any instant, the server or what it started, nothing is lost or doubled")
    func anyInstant() async throws {
      let seed: UInt64 = .random(in: .min ... .max)
      var numbers = SplitMix64(seed: seed)
      let scratch = try Scratch()
      let count = EndToEnd.isFull ? 60 : 6
      try await Self.submitWork(count, in: scratch)
      for _ in 0..<(EndToEnd.isFull ? 100 : 10) {
        let server = try scratch.start(["serve", "-j", "2"])
        try await Task.sleep(for: .milliseconds(50) + numbers.duration(below: .milliseconds(700)))
        let attendants = Self.children(of: server.pid)
        switch numbers.next() % 4 {
        case 0: break
        case 1: for process in attendants { kill(process, SIGKILL) }
        // A whole machine goes down.
        case 2:
          for process in attendants.flatMap(Self.children) + attendants { kill(process, SIGKILL) }
        case _: server.send(SIGTERM)
        }
        if numbers.next() % 2 == 0 { try await Task.sleep(for: .milliseconds(30)) }
        server.send(SIGKILL)
        _ = try await server.wait()
      }
      try await Self.finish(in: scratch)
      Self.expectEachOnce(count, in: scratch, "seed \(seed)")
    }

    static func children(of process: pid_t) -> [pid_t] {
      let path = "/proc/\(process)/task/\(process)/children"
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { pid_t($0) }
    }

    @Test("Q6 two servers and a wake beside them begin nothing twice")
    func severalServers() async throws {
      let scratch = try Scratch()
      try await Self.submitWork(8, in: scratch)
      let servers = try (0..<2).map { _ in try scratch.start(["serve", "-j", "2"]) }
      let wake = try await scratch.start(["wake", "-j", "2"]).wait(atMost: .seconds(60))
      #expect([.exited(0), .exited(75)].contains(wake.end), "\(wake.errors)")
      try await waitUntil("the last request", atMost: .seconds(60)) {
        Self.done(in: scratch) >= 8
      }
      for server in servers {
        server.send(SIGTERM)
        let end = try await server.wait().end
        // The last one may have ended and not have been written down yet.
        #expect([.exited(0), .exited(75)].contains(end))
      }
      try await Self.finish(in: scratch)
      Self.expectEachOnce(8, in: scratch)
    }

    @Test("Q6 a server that is killed leaves its work the time to save")
    func toldToSave() async throws {
      let scratch = try Scratch()
      try await Self.submitWork(1, in: scratch)
      let server = try scratch.start(["serve"])
      try await server.wait(until: "the first step") { scratch.exists("steps1") }
      server.send(SIGKILL)
      _ = try await server.wait()
      try await waitUntil("the work has saved") { scratch.exists("saved") }
      try await Self.finish(in: scratch)
      Self.expectEachOnce(1, in: scratch)
    }

    @Test("Q6 a chain through a server that is killed gives the same bytes")
    func chain() async throws {
      let seed: UInt64 = .random(in: .min ... .max)
      var numbers = SplitMix64(seed: seed)
      let n = StintsTests.n
      let scratch = try Scratch()
      try await Self.submit(
        ["run", "fibonacci", "\(n)", "--checkpoint-every", "100ms", "-o", "f"], in: scratch)
      for _ in 0..<4 {
        let server = try scratch.start(["serve"])
        try await Task.sleep(for: .milliseconds(100) + numbers.duration(below: .seconds(1)))
        server.send(SIGKILL)
        _ = try await server.wait()
      }
      try await Self.finish(in: scratch)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n), "seed \(seed)")
    }
  }
}
