import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec --suspend and a program that stops itself")
  struct ExecStandingTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A program that is suspended in its trip, stops itself, and hears why it goes on.
    private static let program = """
      import json, os, signal, socket, time
      system = socket.socket(fileno=int(os.environ["STINT_SYSTEM_FD"]))
      lines = system.makefile("rb", buffering=0)
      def say(**message):
          system.sendall(json.dumps(message).encode() + b"\\n")
      def hear():
          return json.loads(lines.readline())
      def note(word):
          with open("heard", "a") as file: print(word, file=file)
      welcome = hear()
      assert welcome["continues"] is True
      trip = welcome.get("trip")
      while trip is None: trip = hear().get("trip")
      say(type="hello", version=1, pid=os.getpid(), name="program")
      def stand(due=None):
          if due is not None: say(type="due", beginBootNs=due)
          say(type="suspended", trip=trip)
          # Its answer shows that the words before it were read.
          say(type="begin", task=1, name="")
          while hear()["type"] != "granted": pass
          say(type="end", task=1)
          open("ready", "w").close()
          os.kill(os.getpid(), signal.SIGSTOP)

      """

    private func start(_ options: [String], _ script: String) throws -> StintProcess {
      try scratch.start(
        ["exec", "--suspend"] + options + ["--", "python3", "-c", Self.program + script])
    }

    private func standing(_ options: [String], _ script: String) async throws -> StintProcess {
      let process = try start(options, "stand()\n" + script)
      try await process.wait(until: "the program") { scratch.exists("ready") }
      try await process.wait(until: "its stop") {
        Self.children(of: process.pid).contains { StintProcess.state(of: $0) == "T" }
      }
      return process
    }

    private static func children(of process: pid_t) -> [pid_t] {
      let path = "/proc/\(process)/task/\(process)/children"
      let text = try? String(contentsOfFile: path, encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }

    @Test("A15 L5 it is continued in its trip when its request may begin, and hears so")
    func due() async throws {
      let process = try start(
        ["--budget", "10m"],
        """
        begin = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 300_000_000
        stand(begin)
        assert hear()["type"] == "resumed"
        assert time.clock_gettime_ns(time.CLOCK_BOOTTIME) >= begin
        note("resumed")
        """)
      try await process.wait().expectExit(0)
      #expect(scratch.text("heard") == "resumed\n")
    }

    @Test("A15 L5 what is due after its trip waits for the next one")
    func nextTrip() async throws {
      let process = try start(
        ["--budget", "500ms", "--lead", "50ms", "--rest", "50ms"],
        """
        stand(time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 3_600_000_000_000)
        while True:
            message = hear()
            if message["type"] == "resumed": note("resumed")
            if message.get("trip", trip) > trip and message["type"] == "transition": break
        note("next trip")
        """)
      try await process.wait().expectExit(0)
      #expect(scratch.text("heard") == "next trip\n")
    }

    @Test("W11 A15 a stop continues it, and it hears of it in words", arguments: [false, true])
    func stop(isFile: Bool) async throws {
      let process = try await standing(
        ["--budget", "10m", "--progress-file", "p"],
        """
        note(hear()["type"])
        note(hear()["type"])
        os._exit(75)
        """)
      if isFile {
        try await waitUntil("the job") { scratch.job != nil }
        try await scratch.stint("stop", "exec").expectExit(0)
      } else {
        process.send(SIGTERM)
      }
      try await process.wait().expectExit(75)
      #expect(scratch.text("heard") == "resumed\nstop\n")
    }

    @Test("W11 one that stops itself again is killed after the grace all the same")
    func deaf() async throws {
      let process = try await standing(
        ["--budget", "10m", "--stop-grace", "300ms"],
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True: os.kill(os.getpid(), signal.SIGSTOP)
        """)
      process.send(SIGTERM)
      #expect(try await process.wait().end == .signalled(SIGKILL))
    }

    @Test("A23 a SIGCONT for its supervisor does not wake what is suspended")
    func supervisorContinued() async throws {
      let process = try await standing(
        ["--budget", "10m"],
        """
        note("awake")
        note(hear()["type"])
        os._exit(75)
        """)
      process.send(SIGTSTP)
      try await process.wait(until: "the supervisor's stop") {
        StintProcess.state(of: process.pid) == "T"
      }
      process.send(SIGCONT)
      try await Task.sleep(for: .milliseconds(200))
      #expect(!scratch.exists("heard"))
      process.send(SIGTERM)
      try await process.wait().expectExit(75)
      #expect(scratch.text("heard") == "awake\nresumed\n")
    }
  }
}
