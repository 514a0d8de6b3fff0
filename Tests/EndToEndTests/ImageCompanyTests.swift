import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Images under a supervisor")
  struct ImageCompanyTests {
    private static let filters = ["--filter", "gaussian-blur:2", "--filter", "equalise"]

    /// A scratch directory with a picture, and the bytes of the uninterrupted run.
    private static func prepared(_ name: String = "whole.png") async throws -> (Scratch, Data) {
      let scratch = try Scratch()
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      try await scratch.image(
        ["in.tif", name, "--jobs-dir", scratch("jobs-whole"), "--quiet"] + filters
      ).requireExit(0)
      return (scratch, try scratch.bytes(name))
    }

    /// Waits until a run has saved something that it has to go on from.
    private static func checkpoint(
      in scratch: Scratch, of process: StintProcess, after sequence: UInt64 = 0
    ) async throws {
      try await process.wait(until: "a checkpoint of the image") {
        scratch.journal.newestCheckpoint > sequence
      }
    }

    @Test("W8 R1 stint run image under stint exec takes its time from there, killed and resumed")
    func underExec() async throws {
      let (scratch, whole) = try await Self.prepared()
      let run =
        try ["--", Programs.stint(), "run", "image", "in.tif", "cut.png"]
        + ["--checkpoint-every", "50ms", "--quiet"] + Self.filters
      // First one whose supervisor is killed in the middle: the kernel takes the run with it.
      let killed = try scratch.start(["exec", "--budget", "1min"] + run)
      try await Self.checkpoint(in: scratch, of: killed)
      killed.send(SIGKILL)
      #expect(try await killed.wait().end == .signalled(SIGKILL))
      #expect(!scratch.exists("cut.png"))
      var runs = 1
      var last = ProcessEnd.exited(75)
      while [.exited(75), .exited(69)].contains(last), runs < 60 {
        let budget = "\(900 + 20 * runs)ms"
        let run = try await scratch.start(["exec", "--budget", budget] + run).wait()
        runs += 1
        last = run.end
        #expect([.exited(0), .exited(75), .exited(69)].contains(last), "\(run.errors)")
      }
      #expect(last == .exited(0))
      #expect(try scratch.bytes("cut.png") == whole)
      let journal = scratch.journal
      #expect(journal.all("stintBegan").count == runs || runs > 2)
      #expect(journal.all("stintBegan").last?.restoredSequence != nil)
    }

    @Test("R10 W8 a crash of an isolated image run is told and gone on from, under budgets too")
    func isolated() async throws {
      let (scratch, whole) = try await Self.prepared()
      let words =
        ["run", "image", "in.tif", "cut.png", "--checkpoint-every", "50ms", "--isolated"]
        + Self.filters
      let supervisor = try StintProcess(
        [Programs.stint()] + words, in: scratch, environment: ["SWIFT_BACKTRACE": "enable=no"])
      try await Self.checkpoint(in: scratch, of: supervisor)
      let worker = try #require(scratch.journal.all("stintBegan").last?.pid)
      #expect(worker != supervisor.pid, "the work is a child's")
      kill(worker, SIGSEGV)
      try await supervisor.wait(atMost: .seconds(90))
        .expectExit(0, saying: "it continues from its last checkpoint")
      #expect(scratch.journal.lines.contains { $0.event == "workerEnded" && $0.signal == SIGSEGV })
      #expect(try scratch.bytes("cut.png") == whole)

      // The same again under budgets, the supervisor killed once.
      let budgeted = words + ["--fresh", "--force", "--budget", "900ms"]
      let killed = try scratch.start(budgeted)
      try await killed.wait(until: "the stint") {
        scratch.journal.all("stintBegan").contains { $0.pid != worker }
      }
      killed.send(SIGKILL)
      _ = try await killed.wait()
      var last = ProcessEnd.exited(75)
      var runs = 0
      while [.exited(75), .exited(69)].contains(last), runs < 60 {
        let run = try await scratch.start(
          words + ["--force", "--budget", "\(900 + 20 * runs)ms", "--quiet"]
        ).wait()
        (last, runs) = (run.end, runs + 1)
        #expect([.exited(0), .exited(75), .exited(69)].contains(last), "\(run.errors)")
      }
      #expect(last == .exited(0))
      #expect(try scratch.bytes("cut.png") == whole)
    }

    @Test("R1 R11 image lines of a batch beside others, cut by budgets and a kill of the batch")
    func inBatch() async throws {
      let (scratch, whole) = try await Self.prepared()
      try scratch.write(
        """
        image in.tif one.png --filter gaussian-blur:2 --filter equalise
        fibonacci 2000000 -o f
        exec -- sh -c 'echo done >c'
        image in.tif "two words.png" --filter 'gaussian-blur:2+equalise'
        image nothing.png three.png
        """, to: "jobs.txt")
      let killed = try scratch.start(["batch", "jobs.txt", "-j", "2", "--budget", "1h", "--quiet"])
      try await killed.wait(until: "the first image to be at work") {
        scratch.names(in: "jobs").contains { $0.hasPrefix("image-") }
      }
      killed.send(SIGKILL)
      #expect(try await killed.wait().end == .signalled(SIGKILL))
      try await waitUntil("the end of the lines") { BatchTests.processes(of: scratch).isEmpty }
      #expect(!scratch.exists("one.png"))
      var last = ProcessEnd.exited(75)
      var errors = ""
      var runs = 0
      while last == .exited(75), runs < 60 {
        let run = try await scratch.start(["batch", "jobs.txt", "-j", "2", "--budget", "2s"]).wait()
        (last, errors, runs) = (run.end, run.errors, runs + 1)
      }
      // The image that is not there fails alone, and says why.
      #expect(last == .exited(1), "\(errors)")
      #expect(errors.contains("nothing.png"), "\(errors)")
      #expect(try scratch.bytes("one.png") == whole)
      #expect(try scratch.bytes("two words.png") == whole)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: 2_000_000))
      #expect(scratch.text("c") == "done\n")
      #expect(!scratch.exists("three.png"))
    }
  }
}
