import CStint
import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// A source of half a gigabyte and more, all of it a hole: reading it for its checksum takes
  /// longer than a short stint.
  @Suite("Images that are long to read")
  struct ImageReadingTests {
    private static let words = [
      "in.tif", "out.tif", "--filter", "crop:64x64+0+0", "--threads", "1",
    ]

    private static func prepared(across: Int = 50, down: Int = 40) async throws -> Scratch {
      let scratch = try Scratch()
      try Picture.writeHole(to: "in.tif", in: scratch, across: across, down: down)
      // As old as a file is that was not made for this: what was changed in the last two seconds is
      // not remembered.
      try await waitUntil("the file to have settled", atMost: .seconds(10)) {
        Self.age(of: scratch("in.tif")) > 2.5
      }
      return scratch
    }

    private static func age(of path: String) -> Double {
      var status = stat()
      stat(path, &status)
      return Date().timeIntervalSince1970 - Double(status.st_ctim.tv_sec)
        - Double(status.st_ctim.tv_nsec) / 1e9
    }

    @Test("W2 the source is read within the budgets of --until-done, in several stints")
    func untilDone() async throws {
      let scratch = try await Self.prepared()
      var wasCut = false
      var errors = ""
      // How much time is left for reading before the lead; which of them is too short for all of it
      // and not for a piece is the machine's.
      for milliseconds in [100, 150, 250, 400, 800] where !wasCut {
        let run = try await scratch.image(
          Self.words + [
            "--budget", "\(900 + milliseconds)ms", "--lead", "900ms", "--until-done", "--rest",
            "10ms", "--jobs-dir", scratch("jobs-\(milliseconds)"), "--force",
          ])
        errors = run.errors
        // Too short for a piece is refused with the least that would do.
        if run.end == .exited(69) { #expect(errors.contains("the least budget"), "\(errors)") }
        wasCut = run.end == .exited(0) && errors.contains("% of in.tif is read for its checksum")
      }
      #expect(wasCut, "\(errors)")
      #expect(scratch.exists("out.tif"))
    }

    @Test("W2 so is it by a line of a batch, run after run")
    func inBatch() async throws {
      let scratch = try await Self.prepared(across: 100, down: 80)
      try scratch.write("image " + Self.words.joined(separator: " ") + "\n", to: "jobs.txt")
      var last = ProcessEnd.exited(75)
      var errors = ""
      var wasRemembered = false
      var runs = 0
      // A busy machine does too little in so short a time, so that each run has a little more.
      while [.exited(75), .exited(69)].contains(last), runs < 100 {
        let run = try await scratch.start(
          ["batch", "jobs.txt", "--budget", "\(700 + 10 * runs)ms", "--lead", "400ms"]
        ).wait()
        (last, errors, runs) = (run.end, run.errors, runs + 1)
        // Before there is a job, so it was the reading that was cut.
        wasRemembered =
          wasRemembered
          || scratch.exists("jobs/fingerprints")
            && !scratch.names(in: "jobs").contains { $0.hasPrefix("image-") }
      }
      #expect(last == .exited(0), "\(errors)")
      #expect(wasRemembered && runs > 1)
      #expect(scratch.exists("out.tif"))
    }
  }
}
