import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("What stint doctor finds")
  struct DoctorTests {
    /// A copy of `stint` in a folder of its own, so that what stands beside it is the test's.
    ///
    /// `cp` writes it. A copy that this process writes could be kept open by a child of another
    /// test, and the kernel starts no program that is open for writing.
    private static func install(in scratch: Scratch) async throws -> String {
      try await scratch.shell("mkdir bin && cp \"$STINT\" bin/stint").requireExit(0)
      return scratch("bin/stint")
    }

    private static func lines(_ stint: String, in scratch: Scratch) async throws -> String {
      try await StintProcess([stint, "doctor"], in: scratch).wait().text
    }

    @Test("stint-images: beside it, not there, of another version, not able to start")
    func images() async throws {
      let scratch = try Scratch()
      let whole = try await scratch.stint("doctor")
      #expect(whole.text.contains(#/stint-images +ok +\S+ at /#), "\(whole.text)")
      #expect(whole.text.contains(#/libvips +ok +8\./#), "\(whole.text)")

      let stint = try await Self.install(in: scratch)
      #expect(
        try await Self.lines(stint, in: scratch).contains(#/stint-images +warning +not installed/#))
      for (script, found) in [
        ("echo '{\"version\":\"0.0.1\",\"libvips\":\"8.0.0\"}'", "0.0.1 at"),
        ("exit 127", "does not start"),
        ("kill -SEGV $$", "does not start"),
      ] {
        try scratch.write("#!/bin/sh\n\(script)\n", to: "bin/stint-images")
        chmod(scratch("bin/stint-images"), 0o755)
        let text = try await Self.lines(stint, in: scratch)
        let line = text.split(separator: "\n").first { $0.hasPrefix("stint-images") }
        #expect(line?.contains("warning") == true && line?.contains(found) == true, "\(text)")
      }
    }

    @Test("the freezer is tried out and leaves no cgroup behind")
    func freezer() async throws {
      let scratch = try Scratch()
      let text = try await scratch.stint("doctor").text
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("freezer") })
      guard Freezing.isPossible else {
        #expect(line.contains("by signals"), "\(line)")
        return
      }
      let path = try #require(line.firstMatch(of: #/at (\/\S+)/#)?.output.1)
      #expect(!FileManager.default.fileExists(atPath: String(path)), "\(line)")
      // Where the mount is taken away, signals are what is left.
      let without = try await Freezing.runWithout(["doctor"], in: scratch)
      #expect(
        without.text.contains(#/freezer +ok +no cgroup v2/#), "\(without.text)\(without.errors)")
    }
  }
}
