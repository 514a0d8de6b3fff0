import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// GNU `timeout` is the oracle: the same words are given to both.
  @Suite("exec in place of timeout")
  struct ExecTimeoutTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let stubborn = "trap '' TERM; sleep 10 & wait; wait"
    private static let polite = "trap 'exit 3' TERM; sleep 10 & wait"

    static let commandLines: [[String]] = [
      ["10", "true"], ["10", "false"], ["10", "sh", "-c", "exit 75"], ["0", "true"],
      ["0.1", "sleep", "10"], ["0.1s", "sleep", "10"], ["1e-1", "sleep", "10"],
      [".1", "sleep", "10"], ["+0.1", "sleep", "10"], ["0x.2", "sleep", "10"], ["5d", "true"],
      ["99999999999999999999d", "true"], ["inf", "true"], ["--", "10", "true"],
      ["--", "0.1", "sleep", "10"], ["-s", "KILL", "0.1", "sleep", "10"],
      ["-s", "9", "0.1", "sleep", "10"], ["-s", "int", "0.1", "sleep", "10"],
      ["-s", "SIGUSR1", "0.1", "sleep", "10"], ["-s", "RTMIN+1", "0.1", "sleep", "10"],
      ["--signal=HUP", "0.1", "sleep", "10"], ["--preserve-status", "0.1", "sleep", "10"],
      ["-k", "0.1", "0.1", "sh", "-c", stubborn], ["-k", "0", "0.1", "sleep", "10"],
      ["-k", "5", "-s", "INT", "0.1", "sleep", "10"],
      ["--kill-after=0.1", "--preserve-status", "0.1", "sh", "-c", stubborn],
      ["--foreground", "0.1", "sleep", "10"],
      ["--foreground", "-k", "0.1", "0.1", "sh", "-c", "trap '' TERM; exec sleep 9"],
      ["0.1", "sh", "-c", polite], ["--preserve-status", "0.1", "sh", "-c", polite],
      ["10", "sh", "-c", "kill -TERM $$"], ["10", "sh", "-c", "kill -KILL $$"],
      ["10", "./none"], ["10", "no-such-command"], ["10", "/"], ["10", "/etc/passwd"],
      ["10"], [], ["10x", "true"], ["0.1y", "true"], ["-k", "x", "1", "true"],
      ["-s", "NOPE", "1", "true"], ["--nope", "1", "true"],
      ["0.1", "sh", "-c", "sleep 10 & exec sleep 10"],
      ["-s", "143", "0.1", "sleep", "10"], ["-s", "137", "0.1", "sleep", "10"],
      ["-s", "271", "0.1", "sleep", "10"], ["-s", "0", "0.1", "sleep", "0.3"],
      ["-s", "EXIT", "0.1", "sleep", "0.3"], ["-s", "256", "0.1", "sleep", "0.3"],
      ["-s", "200", "1", "true"], ["-s", "32", "1", "true"], ["-s", "65", "1", "true"],
      ["-s", "-1", "1", "true"], ["-s", "TERM+1", "1", "true"],
      [" 0.1", "sleep", "10"], ["\t\n0.1", "sleep", "10"], ["0.1 ", "true"], ["0.1 s", "true"],
      ["-k", " 0.1", "0.1", "sh", "-c", stubborn], ["1e-400", "sleep", "0.3"],
      ["1e-300", "sleep", "10"], ["nan", "true"], ["-k", "nan", "1", "true"], ["--", "-0", "true"],
      ["+inf", "true"], ["--", "-1", "true"],
    ]

    @Test("the same words end the same way", arguments: commandLines)
    func sameEnd(words: [String]) async throws {
      let theirs = try await StintProcess(["/usr/bin/timeout"] + words, in: scratch).wait()
      let ours = try await scratch.start(["exec"] + words).wait()
      // Where timeout kills its own group it dies with it, and a shell sees the same status.
      #expect(Self.shellStatus(ours.end) == Self.shellStatus(theirs.end), "\(ours.errors)")
      // The signal that ended a command in its own time ends both of them too.
      if case .signalled = theirs.end, theirs.end != .signalled(SIGKILL) {
        #expect(ours.end == theirs.end)
      }
    }

    private static func shellStatus(_ end: ProcessEnd) -> Int32 {
      switch end {
      case .exited(let status): status
      case .signalled(let number): 128 + number
      }
    }

    /// What outlives its leader: where it is, what it does about the signal, whether it stands
    /// still.
    static let descendants = [
      "sleep 41 &", "setsid sleep 41 &", "(trap '' TERM HUP; exec sleep 41) &",
      "setsid sh -c 'trap \"\" TERM HUP; exec sleep 41' &", "sleep 41 & kill -STOP $!",
      "setsid sh -c 'kill -STOP $$; exec sleep 41' &",
      "setsid -f sh -c 'trap : TERM; sleep 41; exec sleep 41'",
    ]

    @Test(
      "a leader that ends is followed within a second, whatever it leaves behind",
      arguments: [[], ["-k", "0"], ["-k", "inf"], ["-k", "41"], ["-s", "KILL"], ["-s", "HUP"]])
    func descendantsOutlive(options: [String]) async throws {
      // Known by a number that nobody else sleeps for: what timeout leaves behind has to be ended
      // here.
      let mine = "41.\(UInt32.random(in: 100_000...999_999))"
      for (index, descendant) in Self.descendants.enumerated() {
        let text = descendant.replacing("sleep 41", with: "sleep \(mine)")
        try scratch.write("\(text)\nexec sleep 30\n", to: "script\(index)")
      }
      // Side by side; each says how both ended, and by how many milliseconds ours took longer.
      let ended = try await scratch.shell(
        """
        of() {
          began=$(date +%s%N); "$@" > /dev/null 2>&1
          status=$?; took=$((($(date +%s%N) - began) / 1000000))
        }
        for i in $(seq 0 \(Self.descendants.count - 1)); do
          ( of timeout \(options.joined(separator: " ")) 0.5 sh script$i
            theirs=$status; base=$took
            of "$STINT" exec \(options.joined(separator: " ")) 0.5 sh script$i
            echo "$i $status $theirs $((took - base))" ) &
        done
        wait
        """)
      _ = try await StintProcess(["/usr/bin/pkill", "-KILL", "-f", mine], in: scratch).wait()
      let results = ended.text.split(separator: "\n").map {
        $0.split(separator: " ").compactMap { Int($0) }
      }
      #expect(results.count == Self.descendants.count, "\(ended.errors)")
      for result in results {
        #expect(result[1] == result[2], "\(Self.descendants[result[0]])")
        #expect(
          result[3] < 1_000 * Yardstick.factor, "\(Self.descendants[result[0]]): \(result)")
      }
    }

    @Test(
      "a signal from outside ends the leader, and a second after that everything is gone",
      arguments: [["60"], ["-k", "0", "60"], ["--budget", "60s", "--stop-grace", "41s", "--"]])
    func askedWithDescendants(words: [String]) async throws {
      try scratch.write(
        """
        setsid sh -c 'trap "" TERM; echo $$ > deaf; exec sleep 41' &
        echo $$ > leader; exec sleep 30
        """, to: "script")
      let process = try scratch.start(["exec"] + words + ["sh", "script"])
      try await waitUntil("both") {
        scratch.text("deaf").hasSuffix("\n") && scratch.text("leader").hasSuffix("\n")
      }
      process.send(SIGTERM)
      try await waitUntil("the leader's end") { !ExecFamilyTests.isAlive(scratch.text("leader")) }
      // Who was told of a grace leaves it to a descendant that may be saving; a second signal ends
      // it.
      if words.contains("--stop-grace") {
        try await Task.sleep(for: .milliseconds(300))
        #expect(!process.hasEnded)
        process.send(SIGTERM)
      }
      _ = try await process.wait(atMost: .seconds(10))
      #expect(!ExecFamilyTests.isAlive(scratch.text("deaf")))
    }

    @Test("a deaf leader is waited for as timeout does, and a second signal ends it at once")
    func deafLeader() async throws {
      let process = try scratch.start([
        "exec", "0.1", "sh", "-c", "trap '' TERM; echo $$ > p; while :; do sleep 1; done",
      ])
      try await waitUntil("the command") { scratch.text("p").hasSuffix("\n") }
      try await Task.sleep(for: .milliseconds(500))
      #expect(!process.hasEnded)
      process.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(300))
      #expect(!process.hasEnded)
      process.send(SIGTERM)
      _ = try await process.wait(atMost: .seconds(10))
      #expect(!ExecFamilyTests.isAlive(scratch.text("p")))
    }

    @Test("-v says what it sends, and to whom, before the end")
    func verbose() async throws {
      let ended = try await scratch.stint(
        "exec", "-v", "-k", "0.1", "0.1", "sh", "-c", Self.stubborn)
      #expect(
        ended.sentences == [
          "stint: Sending signal TERM to command sh.", "stint: Sending signal KILL to command sh.",
        ])
      let quiet = try await scratch.stint("exec", "0.1", "sleep", "10")
      #expect(quiet.errors == "")
    }

    @Test("what is wrong is said in a sentence that names it")
    func sentences() async throws {
      func said(_ words: String...) async throws -> String {
        try await scratch.start(["exec"] + words).wait().errors
      }
      #expect(try await said("10x", "true").contains("\"10x\" is neither a command nor a duration"))
      #expect(try await said("10", "none").contains("none cannot be run: No such file"))
      #expect(try await said("-s", "TREM", "1", "true").contains("did you mean TERM?"))
      #expect(try await said("--suspend", "10", "true").contains("write --budget 10 instead"))
      #expect(try await said("--suspend", "--", "true").contains("add --budget, --policy"))
      #expect(
        try await said("--budget", "1s", "-k", "2", "--", "true").contains("longer than the lead"))
    }

    @Test("a command that ends at its deadline ends by one of the two, every time")
    func atTheDeadline() async throws {
      let ended = try await scratch.shell(
        """
        for i in $(seq 40); do
          "$STINT" exec -k 1 0.05 sleep 0.0$((35 + i % 20)); echo $?
        done
        """)
      let ends = Set(ended.text.split(separator: "\n"))
      #expect(ends.isSubset(of: ["0", "124"]), "\(ends)")
      #expect(ended.text.split(separator: "\n").count == 40)
    }

    @Test("words and variables that are no UTF-8 reach the command as they are")
    func bytes() async throws {
      let ended = try await scratch.shell(
        #"BYTES=$'\xff\xfe' "$STINT" exec 10 sh -c 'printf "%s %s" "$1" "$BYTES"' - $'\xc3\x28'"#)
      #expect(ended.output == Data([0xC3, 0x28, 0x20, 0xFF, 0xFE]))
    }
  }
}
