import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The longest time without a task is a grace of 5 s, which no option makes shorter.
  @Suite("Work that begins later than a grace after its trip")
  struct LateTaskTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a script that prints the exit status of what it runs.
    private func expect(
      _ printed: String, of script: String, location: SourceLocation = #_sourceLocation
    ) async throws {
      let run = try await scratch.shell(script, atMost: .seconds(120))
      #expect(run.text == printed, "\(run.errors)", sourceLocation: location)
      #expect(!run.errors.contains("did not grant"), "\(run.errors)", sourceLocation: location)
    }

    @Test("L4 A15 a run that begins late under a supervisor gets the rest of its budget")
    func underSupervisor() async throws {
      try await expect(
        "0\n",
        of: """
          "$STINT" exec --budget 100s -- sh -c 'sleep 6; exec "$STINT" run fibonacci 1000 -o f'
          echo $?
          """)
      #expect(scratch.exists("f"))
    }

    @Test("L4 A15 a line of a batch that begins late gets the rest of its budget")
    func lineOfBatch() async throws {
      try scratch.write("exec -- sleep 6\nfibonacci 1000 -o f\n", to: "lines")
      try await expect("0\n", of: #""$STINT" batch lines -j 1 --budget 100s; echo $?"#)
      #expect(scratch.exists("f"))
    }

    @Test("L4 A15 what is listed slowly is worked on all the same")
    func slowList() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 30, height: 20)
      try await expect(
        "0\n0\n",
        of: """
          (sleep 6; ls *.tif) | "$STINT" run image --files-from - --output-dir d --filter invert \\
            --budget 100s; echo $?
          (sleep 6; echo 'fibonacci 1000 -o f') | "$STINT" batch - --budget 100s; echo $?
          """)
      #expect(scratch.names(in: "d") == ["in.tif"])
      #expect(scratch.exists("f"))
    }

    @Test("L4 A15 E5 a run that waited for the lock works in what is left of its budget")
    func afterLock() async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let kept = scratch.journal.all("stintBegan").count
      let holder = try scratch.start(UnfinishedJob.run)
      try await holder.wait(until: "the holder") { scratch.journal.all("stintBegan").count > kept }
      holder.send(SIGSTOP)
      let run = try scratch.start(UnfinishedJob.run + ["--budget", "100s", "--wait-lock"])
      try await run.wait(until: "the wait") { run.errorsSoFar.contains("waits for it") }
      try await Self.outlastGrace(run)
      holder.send(SIGKILL)
      _ = try await holder.wait()
      let end = try await run.wait(atMost: .seconds(120))
      #expect([.exited(0), .exited(75)].contains(end.end), "\(end.errors)")
      #expect(scratch.journal.all("stintBegan").last?.pid == run.pid)
    }

    @Test(
      "L4 A15 A23 W7 a run that was paused or stopped for longer than a grace goes on in its trip",
      arguments: [[], ["--until-done"]], [false, true])
    func afterPause(more: [String], isTerminals: Bool) async throws {
      let scratch = try await UnfinishedJob.shared.copy()
      let kept = scratch.journal.all("stintBegan").count
      let job = try #require(scratch.job)
      // There before the run, which might else be over before it is asked to pause.
      if !isTerminals { try scratch.write("", to: job + "/pause") }
      let run = try scratch.start(
        UnfinishedJob.run + ["--budget", "100s", "--tick", "50ms"] + more)
      if isTerminals {
        try await run.wait(until: "the run") { scratch.journal.all("stintBegan").count > kept }
        run.send(SIGTSTP)
      }
      try await run.wait(until: "the pause") {
        run.state == "T" || scratch.text(job + "/progress.json").contains(#""state":"paused""#)
      }
      try await Self.outlastGrace(run)
      if isTerminals {
        run.send(SIGCONT)
      } else {
        try FileManager.default.removeItem(atPath: scratch(job + "/pause"))
      }
      let end = try await run.wait(atMost: .seconds(120))
      #expect([.exited(0), .exited(75)].contains(end.end), "\(end.errors)")
      #expect(scratch.journal.all("stintBegan").count > kept, "it began another stint")
    }

    /// Waits for longer than the grace of a trip.
    private static func outlastGrace(_ process: StintProcess) async throws {
      let began = ContinuousClock.now
      try await process.wait(until: "the end of a grace") {
        began.duration(to: .now) > .milliseconds(5_500)
      }
    }
  }
}
