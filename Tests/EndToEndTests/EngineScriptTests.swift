import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The scripts of `docs/deadline-file.md`, with the engines that they ask played.
  @Suite("Scripts that write deadline files")
  struct EngineScriptTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func script(_ name: String) -> String {
      "\(Programs.root)/Examples/engines/\(name)"
    }

    /// A number that takes longer than the two seconds between a notice and the end.
    private static let n = 2 * Yardstick.long
    private static let work = [
      "run", "fibonacci", "\(n)", "--output", "f", "--deadline-file", "end",
      "--lead", "400ms", "--checkpoint-every", "50ms",
    ]

    /// A spot machine: its metadata service, and the script that asks it every 20 ms.
    private struct SpotMachine {
      let scratch: Scratch
      let service: StintProcess
      let asking: StintProcess

      init(in scratch: Scratch) async throws {
        self.scratch = scratch
        let program = Programs.root + "/Tests/Spot/metadata-service.py"
        let service = try StintProcess(["/usr/bin/env", "python3", program, "."], in: scratch)
        self.service = service
        try await service.wait(until: "the service") { scratch.exists("port") }
        asking = try Self.ask("http://127.0.0.1:" + scratch.text("port"), in: scratch)
      }

      static func ask(_ address: String, in scratch: Scratch) throws -> StintProcess {
        // A proxy must not be asked for what is in the machine.
        try StintProcess(
          [EngineScriptTests.script("spot-notice"), "end", address, "0.02"], in: scratch,
          environment: ["http_proxy": "http://127.0.0.1:9"])
      }

      /// What the service says from now on; nil for nothing.
      func say(_ notice: String?) throws {
        guard let notice else { return _ = unlink(scratch("notice")) }
        try scratch.write(notice, to: "notice.new")
        try #require(rename(scratch("notice.new"), scratch("notice")) == 0)
      }

      func announce(in seconds: Double) throws {
        let time = Date().addingTimeInterval(seconds).ISO8601Format()
        try say("{\"action\": \"terminate\", \"time\": \"\(time)\"}")
      }

      /// Waits until the script has asked a few times more.
      func heard() async throws {
        let asked = scratch.text("asked").utf8.count
        try await asking.wait(until: "questions") { scratch.text("asked").utf8.count > asked + 160 }
        #expect(!asking.hasEnded, "\(asking.errorsSoFar)")
      }
    }

    private static func finish(_ scratch: Scratch) async throws {
      try await scratch.start(work).wait(atMost: .seconds(60)).expectExit(0)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test("E1 a spot machine's notice: saved before the end, and another machine finishes the work")
    func spotNotice() async throws {
      let machine = try await SpotMachine(in: scratch)
      let run = try scratch.start(Self.work)
      try await waitUntil("the stint") { !scratch.journal.all("stintBegan").isEmpty }
      try await machine.heard()
      #expect(!scratch.exists("end") && !run.hasEnded)
      // Whole seconds: the end is between 1 and 2 s from now.
      try machine.announce(in: 2)
      try await run.wait(atMost: .seconds(30)).expectExit(75)
      #expect(scratch.journal.all("deadlineMoved").last?.endSource == "deadline-file")
      #expect(scratch.journal.all("checkpoint").count >= 1)
      // The next machine is told nothing.
      machine.asking.send(SIGKILL)
      unlink(scratch("end"))
      try await Self.finish(scratch)
      #expect(scratch.journal.all("stintBegan").last?.restoredSequence != nil)
    }

    @Test("E1 a notice that is taken back lets the work finish")
    func withdrawn() async throws {
      let machine = try await SpotMachine(in: scratch)
      try machine.announce(in: 3600)
      try await machine.asking.wait(until: "the file") { scratch.exists("end") }
      let run = try scratch.start(Self.work)
      try await waitUntil("the stint") { !scratch.journal.all("stintBegan").isEmpty }
      #expect(scratch.journal.all("stintBegan").first?.endSource == "deadline-file")
      try machine.say(nil)
      try await run.wait(until: "no end") { !scratch.journal.all("deadlineMoved").isEmpty }
      try await run.wait(atMost: .seconds(60)).expectExit(0)
      #expect(!scratch.exists("end"))
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: Self.n))
    }

    @Test(
      "E1 a service that answers nothing useful sets no end, and the work goes on",
      arguments: [
        nil, "garbage", "[]", "{\"action\": \"stop\"}", "{\"time\": 7}", "{\"time\": \"soon\"}",
        "500", "hang", "{\"time\": \"2026-13-45T06:00:00Z\"}", "\u{0}\u{1}",
      ])
    func useless(notice: String?) async throws {
      let machine = try await SpotMachine(in: scratch)
      try machine.say(notice)
      if notice == "hang" {
        try await machine.asking.wait(until: "a question") { scratch.exists("asked") }
      } else {
        try await machine.heard()
      }
      let run = try await scratch.stint(
        "exec", "--deadline-file", "end", "--", "sleep", "0.2")
      #expect(run.end == .exited(0) && run.errors.isEmpty, "\(run.errors)")
      #expect(!scratch.exists("end") && !machine.asking.hasEnded)
      let complaints = machine.asking.errorsSoFar.split(separator: "\n")
      #expect(complaints.count <= 1, "each trouble is told once: \(complaints)")
      #expect(notice != nil || complaints.isEmpty, "\(complaints)")
    }

    @Test("E1 a service that is gone leaves the notice that it gave, or none")
    func unreachable() async throws {
      let machine = try await SpotMachine(in: scratch)
      try machine.announce(in: 3600)
      try await machine.asking.wait(until: "the file") { scratch.exists("end") }
      machine.service.send(SIGKILL)
      try await machine.asking.wait(until: "a complaint") {
        machine.asking.errorsSoFar.contains("refused")
      }
      #expect(scratch.text("end").hasSuffix("Z\n"))
      machine.asking.send(SIGKILL)
      _ = try await machine.asking.wait()
      unlink(scratch("end"))
      let asking = try SpotMachine.ask("http://127.0.0.1:" + scratch.text("port"), in: scratch)
      try await asking.wait(until: "a complaint") { asking.errorsSoFar.contains("refused") }
      let run = try await scratch.stint("exec", "--deadline-file", "end", "--", "sleep", "0.2")
      #expect(run.end == .exited(0) && !scratch.exists("end") && !asking.hasEnded)
    }

    @Test("E1 a container's preStop hook: saved before the kill, and the next container finishes")
    func preStop() async throws {
      let run = try scratch.start(Self.work)
      try await waitUntil("the stint") { !scratch.journal.all("stintBegan").isEmpty }
      let hook = try StintProcess([Self.script("prestop"), "end", "2"], in: scratch)
      try await run.wait(atMost: .seconds(30)).expectExit(75)
      // SIGTERM would have followed its end.
      #expect(!hook.hasEnded)
      #expect(scratch.journal.all("deadlineMoved").last?.endSource == "deadline-file")
      hook.sendToGroup(SIGKILL)
      unlink(scratch("end"))
      try await Self.finish(scratch)
    }

    @Test("a hook that cannot write fails, and one that can writes a whole line")
    func hookFails() async throws {
      let prestop = Self.script("prestop")
      let wrong = try await StintProcess([prestop, "no/end", "1"], in: scratch).wait()
      #expect(wrong.end != .exited(0))
      try await StintProcess([prestop, "end", "0"], in: scratch).wait().expectExit(0)
      #expect(scratch.text("end").wholeMatch(of: #/@\d+\n/#) != nil)
    }

    @Test("the page shows the scripts as they are", arguments: ["spot-notice", "prestop"])
    func page(name: String) throws {
      let page = try String(
        contentsOfFile: Programs.root + "/docs/deadline-file.md", encoding: .utf8)
      let text = try String(contentsOfFile: Self.script(name), encoding: .utf8)
      let shown = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
      #expect(page.contains("\n\n\(shown)\n\n"))
    }
  }
}
