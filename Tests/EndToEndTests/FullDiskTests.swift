import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("No room")
  struct FullDiskTests {
    @Test(
      "R4 C4 the disk fills up: loud, nothing is lost, and with room it goes on",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func full() async throws {
      let scratch = try Scratch()
      let run = try await StintProcess(
        ["/usr/bin/unshare", "--mount", "/bin/bash", "-c", Self.script], in: scratch
      ).wait(atMost: .seconds(60)).expectExit(0)
      let words = run.text.split(whereSeparator: \.isWhitespace).map(String.init)
      try #require(words.count == 2, "\(run.text) \(run.errors)")
      #expect(words[0] == "74")
      #expect(words[1] == "0")
      #expect(run.errors.contains("No space left on device"))
      #expect(try await scratch.bytes("result") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    /// Fills a small file system while the program works in it, then makes room.
    ///
    /// F(30,000,000) needs 36 MB of it.
    private static let script = """
      set -u
      mkdir small && mount -t tmpfs -o size=\(64 * Yardstick.factor)m none small
      export STINT_JOBS=$PWD/small/jobs
      run() { "$STINT" run fibonacci \(UnfinishedJob.n) --checkpoint-every 50ms --output small/f; }
      run & worker=$!
      until [ "$(ls small/jobs/*/checkpoints/*.ckpt 2>/dev/null | wc -l)" -ge 2 ]; do sleep 0.01; done
      cat /dev/zero >small/fill 2>/dev/null
      wait $worker; full=$?
      test ! -e small/f || exit 10
      rm small/fill
      run; echo "$full $?"
      cp small/f result
      """

    @Test(
      "R4 a disk without room for one more file: 74 with the reason",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func noMoreFiles() async throws {
      let scratch = try Scratch()
      try await StintProcess(
        [
          "/usr/bin/unshare", "--mount", "/bin/bash", "-c",
          "mkdir small; mount -t tmpfs -o nr_inodes=3 none small; mkdir small/jobs; >small/last; "
            + "exec \"$STINT\" run fibonacci 1000000 -o f --jobs-dir small/jobs",
        ], in: scratch
      ).wait().expectExit(74, saying: "small/jobs", "No space left on device")
    }

    @Test("R4 C4 a limit on the size of files: 74 with the reason, and without it the job goes on")
    func fileSizeLimit() async throws {
      let scratch = try Scratch()
      try await scratch.shell(
        "ulimit -f 500; exec \"$STINT\" run fibonacci \(UnfinishedJob.n) --checkpoint-every 50ms -o f"
      ).expectExit(74, saying: "File too large")
      #expect(!scratch.exists("f"))
      try await scratch.stint("run", "fibonacci", "\(UnfinishedJob.n)", "--output", "f")
        .expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
    }

    @Test(
      "a disk that is too small is seen before the start",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func tooSmall() async throws {
      let scratch = try Scratch()
      try await StintProcess(
        [
          "/usr/bin/unshare", "--mount", "/bin/bash", "-c",
          "mkdir small; mount -t tmpfs -o size=1m none small; \"$STINT\" run fibonacci 30000000 -o small/f",
        ], in: scratch
      ).wait().expectExit(69, saying: "small", "bytes")
    }
  }
}
