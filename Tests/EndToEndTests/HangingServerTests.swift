import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The jobs lie on a file server that stops answering.
  @Suite(
    "A file server that does not answer",
    .enabled(if: FileServer.mayMount, FileServer.reason))
  struct HangingServerTests {
    enum Work: String, CaseIterable {
      case run, isolated, set, batch, exec

      /// The command line, with about so much time.
      func words(budget: Int) -> [String] {
        let time = ["--budget", "\(budget)s", "--stop-grace", "1s"]
        let number = ["fibonacci", "1000000000", "-o", "f"]
        switch self {
        case .run: return ["run"] + number + time
        case .isolated: return ["run"] + number + time + ["--isolated"]
        case .set:
          let images = (1...60).map { "\($0).tif" }
          return ["run", "image"] + images + time
            + ["--output-dir", "out", "--filter", "median:21", "--threads", "1"]
        case .batch: return ["batch", "lines", "-j", "1"] + time
        case .exec: return ["exec", "--checkpoint-file", "c"] + time + ["--", "sleep", "600"]
        }
      }

      /// Makes what it works on.
      func prepare(_ scratch: Scratch) throws {
        switch self {
        case .run, .isolated, .exec: break
        case .batch: try scratch.write("fibonacci 1000000000 -o f\n", to: "lines")
        case .set:
          try Picture.write(to: "1.tif", in: scratch, width: 300, height: 300)
          for number in 2...60 {
            try FileManager.default.copyItem(
              atPath: scratch("1.tif"), toPath: scratch("\(number).tif"))
          }
        }
      }
    }

    @Test(
      "A19 a process is gone when its deadline and the time for its last words have passed",
      arguments: Work.allCases)
    func atWork(work: Work) async throws {
      try await expectEnd(of: work) { scratch in
        // Something of the job is on the disk, and the server is asked at every tick from now on.
        scratch.names(in: "disk/jobs").contains { job in
          scratch.exists("disk/jobs/\(job)/progress.json")
            || !scratch.names(in: "disk/jobs/\(job)/checkpoints").isEmpty
            || !scratch.text("disk/jobs/\(job)/lines.jsonl").isEmpty
        }
      }
    }

    @Test("A19 also one that is stuck before it has begun", arguments: Work.allCases)
    func atStart(work: Work) async throws {
      try await expectEnd(of: work, begun: nil)
    }

    /// Stops the server when the work has begun, or before it is started, and expects its end.
    private func expectEnd(of work: Work, begun: ((Scratch) -> Bool)?) async throws {
      // Again with more time where it ended before it had begun, or where the kernel itself waits
      // for an answer to what the server had already taken: nothing ends such a wait.
      for attempt in 0..<8 {
        let scratch = try Scratch()
        try work.prepare(scratch)
        let server = try await FileServer(in: scratch)
        if begun == nil { server.stop() }
        let process = try StintProcess(
          [Programs.stint()] + work.words(budget: 2 << min(attempt, 5)), in: scratch,
          environment: ["STINT_JOBS": scratch("mount/jobs")])
        defer {
          server.end()
          withExtendedLifetime(process) {}
        }
        if let begun {
          try await process.wait(until: "work", atMost: .seconds(60)) { begun(scratch) }
          if process.hasEnded { continue }
          server.stop()
        }
        try await process.wait(until: "the end", atMost: .seconds(90)) {
          Self.isHeldByKernel(process.pid)
        }
        guard let ended = process.finished else { continue }
        #expect([.exited(75), .exited(74), .signalled(SIGKILL), .exited(137)].contains(ended.end))
        return
      }
      throw TimedOut(what: "an attempt that shows something")
    }

    /// Whether the process, or a child of it, was killed and a thread of it waits all the same.
    private static func isHeldByKernel(_ pid: pid_t) -> Bool {
      let tasks = "/proc/\(pid)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      let waits = threads.contains {
        StintProcess.stateLetter(ofStatAt: "\(tasks)/\($0)/stat") == "D"
      }
      if waits, StintProcess.state(of: pid) == "Z" { return true }
      let children = try? String(contentsOfFile: "\(tasks)/\(pid)/children", encoding: .utf8)
      return (children ?? "").split(separator: " ").compactMap { pid_t($0) }
        .contains(where: isHeldByKernel)
    }
  }
}
