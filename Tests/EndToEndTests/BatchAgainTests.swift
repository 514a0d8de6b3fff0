import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("Batches that are run again")
  struct BatchAgainTests {
    @Test("W11 a stop is seen while the batch rests")
    func stopWhileResting() async throws {
      let scratch = try Scratch()
      try scratch.write(
        "exec --checkpoint-file s -- sh -c 'echo s >>starts; echo >s; exec sleep 100'\n",
        to: "jobs.txt")
      let batch = try scratch.start([
        "batch", "jobs.txt", "--budget", "1s", "--lead", "300ms", "--until-done", "--rest", "100s",
      ])
      try await waitUntil("the rest") {
        BatchTests.records(in: scratch).contains { $0.contains("lineEnded") }
      }
      let starts = scratch.text("starts")
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      let stop = try await scratch.stint("stop", key)
      #expect(stop.end == .exited(0), "\(stop.errors)")
      let end = try await batch.wait(atMost: .seconds(20))
      #expect(end.end == .exited(75), "\(end.errors)")
      #expect(scratch.text("starts") == starts)
    }

    @Test("W11 no line begins after a stop, however rarely the batch ticks")
    func stopBeforeTheNextLine() async throws {
      let scratch = try Scratch()
      try scratch.write(
        """
        exec -- sh -c 'touch one; until test -e go; do sleep 0.05; done'
        exec -- touch two
        """, to: "jobs.txt")
      let batch = try scratch.start(["batch", "jobs.txt", "-j", "1", "--tick", "60s"])
      try await waitUntil("the first line") { scratch.exists("one") }
      let key = try #require(scratch.names(in: "jobs").first { $0.hasPrefix("batch-") })
      #expect(try await scratch.stint("stop", key).end == .exited(0))
      try scratch.write("", to: "go")
      #expect(try await batch.wait().end == .exited(75))
      #expect(!scratch.exists("two"))
    }
  }
}
