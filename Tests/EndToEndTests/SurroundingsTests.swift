import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("What a run finds around it")
  struct SurroundingsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("a descriptor limit that a run cannot live with is told before the work: 69")
    func descriptors() async throws {
      for limit in [6, 10, 16] {
        let run = try await scratch.shell(
          "ulimit -n \(limit); exec \"$STINT\" run fibonacci 100 --budget 1s -o f")
        #expect(run.end == .exited(69), "\(limit): \(run.end) \(run.errors)")
        #expect(run.errors.contains("ulimit -n"), "\(limit): \(run.errors)")
      }
      #expect(!scratch.exists("jobs") && !scratch.exists("f"))
    }

    @Test(
      "a process without a descriptor to spare says what to do: 69",
      arguments: ["list", "run fibonacci 100", "exec -- true", "--version"])
    func noDescriptor(words: String) async throws {
      let run = try await scratch.shell("ulimit -n 3; exec \"$STINT\" \(words)")
      // One with shared libraries ends before its first instruction; an installed one has none.
      if run.end == .exited(127), run.errors.contains("loading shared libraries") { return }
      run.expectExit(69, saying: "raise the limit (ulimit -n)")
    }

    @Test("a process that has no descriptor left calls no job damaged")
    func fewDescriptors() async throws {
      try await scratch.stint("run", "fibonacci", "1000", "-o", "f").requireExit(0)
      for limit in 4...9 {
        let run = try await scratch.shell("ulimit -n \(limit); exec \"$STINT\" list")
        #expect(!run.text.contains("damaged"), "\(limit): \(run.text)")
      }
    }

    @Test("R10 address space that the image library finds no room in: 69")
    func littleAddressSpace() async throws {
      try Picture.write(to: "in.tif", in: scratch, width: 8, height: 8)
      try await scratch.shell(
        "ulimit -v 120000; exec \"$STINT\" run image in.tif out.tif --filter invert"
      ).expectExit(69, saying: "raise the limit (ulimit -v)")
    }

    @Test(
      "R10 where threads cannot be had, every verb says so and does not crash",
      .enabled(if: geteuid() == 0, "only root can be a user of whom no process runs"),
      arguments: [
        "run fibonacci 100000 -o f", "run fibonacci 100000 -o f --isolated", "batch lines",
        "run image in.tif out.tif --filter invert", "list", "doctor",
        "exec --budget 9s --progress-file p -- true",
      ])
    func noThreads(words: String) async throws {
      try scratch.write("fibonacci 1000 -o g\n", to: "lines")
      try Picture.write(to: "in.tif", in: scratch, width: 8, height: 8)
      chmod(scratch.path, 0o1777)
      // Of a number that no other test takes.
      let user = 1_500_000_000 + Int.random(in: 0..<1_000_000)
      for limit in [1, 2, 3, 4, 6, 8, 10, 12, 14] {
        let run = try await scratch.shell(
          """
          exec setpriv --reuid \(user) --regid \(user) --clear-groups \
            prlimit --nproc=\(limit) "$STINT" \(words) --jobs-dir own-\(limit)
          """)
        switch run.end {
        case .exited(0), .exited(75): break
        case .exited(1), .exited(69), .exited(125):
          #expect(run.errors.contains("ulimit -u") || run.errors.contains("No process can be"))
        case _: Issue.record("\(limit): \(run.end) \(run.errors)")
        }
      }
    }

    @Test(
      "help, version and the estimate are not silently lost: 74",
      arguments: ["--help", "help run", "--version", "run fibonacci 100 --dry-run", "list --json"])
    func lostOutput(words: String) async throws {
      try await scratch.shell("exec \"$STINT\" \(words) >/dev/full")
        .expectExit(74, saying: "standard output")
    }

    @Test("an account that cannot be written is told, and the result stands")
    func lostAccount() async throws {
      try await scratch.shell("exec \"$STINT\" run fibonacci 100 --json -o f -q >/dev/full")
        .expectExit(74)
      #expect(scratch.text("f") == OutputTests.value)
    }

    @Test("a closed standard output is told before the work: 73")
    func closed() async throws {
      let run = try await scratch.shell("exec \"$STINT\" run fibonacci 100000000 >&-")
      #expect(run.end == .exited(73), "\(run.end) \(run.errors)")
      #expect(run.sentences.count == 1, "\(run.errors)")
      #expect(!scratch.exists("jobs"))
    }

    @Test("a jobs directory that is none is told before the work, with the way out: 74")
    func noDirectory() async throws {
      try scratch.write("mine", to: "file")
      for place in ["file", "file/jobs"] {
        let run = try await scratch.stint("run", "fibonacci", "100", "--jobs-dir", place)
        #expect(run.end == .exited(74), "\(place): \(run.end) \(run.errors)")
        #expect(run.sentences.count == 1, "\(place): \(run.errors)")
        #expect(run.errors.contains("--jobs-dir"), "\(place): \(run.errors)")
      }
    }

    @Test(
      "a jobs directory of others is told before the work: 74",
      .enabled(if: geteuid() == 0, "it needs another user"))
    func lockedDirectory() async throws {
      let run = try await scratch.shell(
        """
        chmod 755 .; mkdir -m 755 locked; mkdir -m 777 own; cd own
        setpriv --reuid 65534 --regid 65534 --clear-groups \
          "$STINT" run fibonacci 100000000 --budget 1s -o f --jobs-dir "$HOME/locked"
        """
      ).expectExit(74)
      #expect(run.sentences.count == 1, "\(run.errors)")
      #expect(run.errors.contains("Permission denied"), "\(run.errors)")
    }

    @Test("events do not go into the result")
    func eventsAndOutput() async throws {
      try await scratch.stint("run", "fibonacci", "100", "-o", "f", "--events", "./f")
        .expectExit(64)
      #expect(!scratch.exists("f") && !scratch.exists("jobs"))
    }

    @Test("a short run to a stream leaves no directory")
    func shortStream() async throws {
      let run = try await scratch.stint("run", "fibonacci", "1000").expectExit(0)
      #expect(run.text.count == 210)
      #expect(scratch.names(in: "jobs") == [])
    }

    @Test("the ticks of a later process count the stints of the job")
    func stintNumbers() async throws {
      var highest = 0
      for round in 1...20 {
        let run = try await scratch.stint(
          "run", "fibonacci", "\(30_000_000 * Yardstick.factor)", "--budget", "400ms", "--tick",
          "50ms", "-q", "-o", "f",
          "--events", "e\(round)")
        let ticks = scratch.text("e\(round)").split(separator: "\n")
          .filter { $0.contains("\"event\":\"tick\"") }
        // Of the job, and not of the rounds: a round may have no stint on a busy machine.
        let stints = scratch.journal.all("stintBegan").count
        for tick in ticks {
          let object = try JSONSerialization.jsonObject(with: Data(tick.utf8)) as? [String: Any]
          #expect(object?["stint"] as? Int == stints, "\(tick)")
        }
        highest = stints
        if run.end == .exited(0) { break }
        let isCut = run.end == .exited(75) || run.end.isForWantOfTime(run.errors)
        #expect(isCut || run.end == .signalled(SIGKILL), "\(run.errors)")
        if run.end == .signalled(SIGKILL) { return }
      }
      #expect(highest > 1)
    }

    @Test(
      "R9 started with SIGCHLD ignored, every verb sees its processes end, and they do not ignore it",
      arguments: [
        "batch lines", "exec --budget 20s -- sh -c 'grep SigIgn /proc/self/status >ignored'",
        "run fibonacci 1000 -o f --isolated", "doctor",
      ])
    func ignoredChildren(words: String) async throws {
      try scratch.write(
        "exec -- sh -c 'grep SigIgn /proc/self/status >ignored'\nfibonacci 1000 -o f\n", to: "lines"
      )
      let launcher = """
        import os, signal, sys
        signal.signal(signal.SIGPIPE, signal.SIG_DFL); signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.execv("/bin/sh", ["sh", "-c", 'exec "$STINT" ' + sys.argv[1]])
        """
      let run = try await StintProcess(
        ["/usr/bin/python3", "-c", launcher, words], in: scratch
      ).wait()
      if words == "doctor" {
        // A status that is lost would be a program that gave no answer.
        let usual = try await scratch.stint("doctor")
        #expect(run.end == usual.end, "\(run.text)")
        return
      }
      run.expectExit(0)
      let mask = scratch.text("ignored").split(separator: "\t").last
        .flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) }
      if words.contains("grep") || words.contains("lines") {
        #expect(try #require(mask) & 1 << UInt64(SIGCHLD - 1) == 0)
      }
    }
  }
}
