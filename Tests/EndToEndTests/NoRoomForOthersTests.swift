import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// A full disk and a clock that jumps, in what is not a number: images, commands, batches.
  @Suite("No room and other clocks for images, commands and batches")
  struct NoRoomForOthersTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a script with a small file system of its own at `small`, where the jobs are too.
    private static func onSmallDisk(
      _ script: String, megabytes: Int, in scratch: Scratch
    ) async throws -> (words: [String], errors: String) {
      let begin = """
        set -u
        mkdir small && mount -t tmpfs -o size=\(megabytes)m none small
        export STINT_JOBS=$PWD/small/jobs
        fill() { cat /dev/zero >small/fill 2>/dev/null; }

        """
      let run = try await StintProcess(
        ["/usr/bin/unshare", "--mount", "/bin/bash", "-c", begin + script], in: scratch
      ).wait(atMost: .seconds(90)).requireExit(0)
      return (run.text.split(whereSeparator: \.isWhitespace).map(String.init), run.errors)
    }

    @Test(
      "R4 C4 the disk fills up under an image: loud, nothing is lost, and with room it goes on",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func image() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      let run =
        "\"$STINT\" run image in.tif small/out.tif --filter median:5 --checkpoint-every 50ms"
      let (words, errors) = try await Self.onSmallDisk(
        """
        \(run) & worker=$!
        until [ -n "$(ls small/jobs/*/checkpoints/*.ckpt 2>/dev/null)" ]; do sleep 0.01; done
        fill
        wait $worker; full=$?
        test ! -e small/out.tif || exit 10
        rm small/fill
        \(run); echo "$full $?"
        cp small/out.tif result.tif
        """, megabytes: 64, in: scratch)
      #expect(words == ["74", "0"], "\(errors)")
      #expect(errors.contains("No space left on device"), "\(errors)")
      try await scratch.image(["in.tif", "whole.tif", "--filter", "median:5", "--quiet"])
        .requireExit(0)
      #expect(try scratch.bytes("result.tif") == scratch.bytes("whole.tif"))
    }

    @Test(
      "R4 C4 a limit on the size of files ends an image with 74, and without it the job goes on")
    func imageFileSizeLimit() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      let words = "run image in.tif out.tif --filter median:5 --checkpoint-every 50ms"
      try await scratch.shell("ulimit -f 3000; exec \"$STINT\" \(words)")
        .expectExit(74, saying: "File too large")
      #expect(!scratch.exists("out.tif"))
      try await scratch.shell("exec \"$STINT\" \(words)").expectExit(0)
    }

    @Test(
      "R4 a command on a full disk keeps its own status; that its record is missing is said",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func command() async throws {
      let run =
        "(cd small; \"$STINT\" exec --budget 20s --checkpoint-file state -- sh -c 'echo a >state; sleep 1.2; exit 7')"
      let (words, errors) = try await Self.onSmallDisk(
        """
        : >small/state; fill
        \(run); echo $?
        rm small/fill
        \(run); echo $?
        "$STINT" list | grep -c 'exec sh'
        """, megabytes: 8, in: scratch)
      #expect(words == ["7", "7", "1"], "\(errors)")
      #expect(errors.components(separatedBy: "No space left on device").count == 2, "\(errors)")
    }

    @Test(
      "R4 R11 the disk fills up under a batch: the lines fail with their reason, and with room all is done",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func batch() async throws {
      let n = 20_000_000 * Yardstick.factor
      let (words, errors) = try await Self.onSmallDisk(
        """
        printf 'exec -- true\\nfibonacci \(n) --checkpoint-every 50ms -o small/f\\n' >jobs.txt
        "$STINT" batch jobs.txt -j 1 & batch=$!
        until [ -n "$(ls small/jobs/fib*/checkpoints/*.ckpt 2>/dev/null)" ]; do sleep 0.01; done
        fill
        wait $batch; full=$?
        test ! -e small/f || exit 10
        rm small/fill
        "$STINT" batch jobs.txt -j 1; echo "$full $?"
        cp small/f result
        """, megabytes: 48 * Yardstick.factor, in: scratch)
      #expect(words == ["1", "0"], "\(errors)")
      // Its own words are kept in a file until it ends, for which there is no room either; what it
      // ended with says it.
      #expect(errors.contains("Line 2 failed (exit status 74)"), "\(errors)")
      #expect(try await scratch.bytes("result") == Yardstick.shared.bytes(of: n))
    }

    @Test(
      "R4 C4 a disk that is full when a job is begun: nothing is left of it, and with room it is begun",
      .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func begun() async throws {
      let (words, errors) = try await Self.onSmallDisk(
        """
        printf 'exec -- true\n' >jobs.txt
        : >small/state; fill
        "$STINT" batch jobs.txt; echo $?
        (cd small; "$STINT" exec --budget 20s --checkpoint-file state -- sh -c 'echo a >state; sleep 1.2'); echo $?
        ls small/jobs | wc -l
        "$STINT" list --json
        # What a kill leaves behind; a name that is a job's.
        mkdir -m 700 small/jobs/batch-0123456789abcdef
        "$STINT" list --json; "$STINT" clean >/dev/null; echo $?
        ls small/jobs | wc -l
        rm small/fill
        "$STINT" batch jobs.txt; echo $?
        "$STINT" list | grep -c 'finished.*batch'
        """, megabytes: 8, in: scratch)
      #expect(words == ["74", "0", "0", "[]", "[]", "0", "0", "0", "1"], "\(errors)")
      #expect(errors.contains("job.json"), "\(errors)")
      #expect(errors.contains("No space left on device"), "\(errors)")
    }

    @Test(
      "R8 the boot clock weeks ahead in one run and back in the next: images and batches go on, commands are ended in time",
      .enabled(if: geteuid() == 0, "a time namespace needs root"))
    func clocks() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 1500, height: 2500)
      try scratch.write(
        "image in.tif out.png --filter median:5 --checkpoint-every 50ms\nfibonacci 1000000 -o f\n",
        to: "jobs.txt")
      let away = ["/usr/bin/unshare", "--time", "--boottime", "3000000"]
      // A command that would run for a minute is ended by its budget, whatever the clock shows.
      let command = try await StintProcess(
        away + [try Programs.stint(), "exec", "--budget", "500ms", "--", "sleep", "60"], in: scratch
      ).wait().expectExit(124)
      #expect(command.took < .seconds(20))
      let batch = [try Programs.stint(), "batch", "jobs.txt"]
      let budget = ["--budget", "900ms"]
      var last = ProcessEnd.exited(75)
      var errors = ""
      for command in [batch + budget, away + batch + budget, batch + budget, away + batch] {
        let run = try await StintProcess(command, in: scratch).wait(atMost: .seconds(60))
        (last, errors) = (run.end, run.errors)
        #expect([.exited(0), .exited(75)].contains(last), "\(errors)")
      }
      #expect(last == .exited(0), "\(errors)")
      try await scratch.image(["in.tif", "whole.png", "--filter", "median:5", "--quiet"])
        .requireExit(0)
      #expect(try scratch.bytes("out.png") == scratch.bytes("whole.png"))
    }
  }
}
