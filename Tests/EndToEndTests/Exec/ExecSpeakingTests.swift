import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("exec and a stop of a program that speaks")
  struct ExecSpeakingTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A program that is granted a task and listens; what follows says what it does with what it
    /// hears.
    private static let speaker = """
      import json, os, signal, socket, subprocess, time
      system = socket.socket(fileno=int(os.environ["STINT_SYSTEM_FD"]))
      lines = system.makefile("rb", buffering=0)
      def say(**message):
          system.sendall(json.dumps(message).encode() + b"\\n")
      def hear(wanted):
          while json.loads(lines.readline())["type"] != wanted: pass
      def note(word):
          with open("heard", "a") as file: print(word, file=file)
      say(type="hello", version=1, pid=os.getpid(), name="speaker")
      say(type="begin", task=1, name="work")
      hear("granted")

      """

    /// Ends in its own time when it is told of a stop.
    private static let obeys = """
      open("ready", "w").close()
      hear("stop")
      time.sleep(0.3)
      note("stop")
      os._exit(75)
      """

    private func start(_ options: [String] = [], _ script: String) async throws -> StintProcess {
      let process = try scratch.start(
        ["exec", "--budget", "60s"] + options + ["--", "python3", "-c", Self.speaker + script])
      try await process.wait(until: "the program") { scratch.exists("ready") }
      #expect(!process.hasEnded, "\(process.errorsSoFar)")
      return process
    }

    @Test(
      "W11 a program that speaks is told of a stop, and no signal cuts what it does then",
      arguments: [SIGTERM, SIGHUP, SIGINT])
    func told(number: Int32) async throws {
      let process = try await start([], Self.obeys)
      process.send(number)
      let ended = try await process.wait()
      #expect(ended.end == (number == SIGINT ? .signalled(SIGINT) : .exited(75)), "\(ended.errors)")
      #expect(scratch.text("heard") == "stop\n")
    }

    @Test("W11 stint stop reaches a program that speaks in words")
    func stop() async throws {
      let process = try await start(["--progress-file", "p"], Self.obeys)
      try await waitUntil("the job") { scratch.job != nil }
      try await scratch.stint("stop", "exec").expectExit(0)
      try await process.wait().expectExit(75)
      #expect(scratch.text("heard") == "stop\n")
    }

    @Test("W11 a program that does not end when it is told gets the signal after its grace")
    func signalAfterGrace() async throws {
      let process = try await start(
        ["--stop-grace", "300ms"],
        """
        def asked(number, frame):
            note("signal")
            os._exit(75)
        signal.signal(signal.SIGTERM, asked)
        open("ready", "w").close()
        hear("stop")
        note("stop")
        while True: time.sleep(1)
        """)
      process.send(SIGTERM)
      try await process.wait().expectExit(75)
      #expect(scratch.text("heard") == "stop\nsignal\n")
    }

    @Test("W11 a program that is deaf to words and signals is killed, at once by a second signal")
    func deaf() async throws {
      let deaf = """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open("ready", "w").close()
        while True: time.sleep(1)
        """
      let first = try await start(["--stop-grace", "200ms"], deaf)
      first.send(SIGTERM)
      #expect(try await first.wait().end == .signalled(SIGKILL))
      try FileManager.default.removeItem(atPath: scratch("ready"))
      let second = try await start(["--stop-grace", "10m"], deaf)
      second.send(SIGTERM)
      try await Task.sleep(for: .milliseconds(250))
      second.send(SIGTERM)
      #expect(try await second.wait().end == .signalled(SIGKILL))
    }

    @Test("W11 a stopped program that speaks goes on, so that it hears of the stop")
    func stopped() async throws {
      let process = try await start(
        [],
        """
        def end():
            hear("stop")
            note("stop")
            os._exit(75)
        open("ready", "w").close()
        os.kill(os.getpid(), signal.SIGSTOP)
        end()
        """)
      process.send(SIGTERM)
      try await process.wait().expectExit(75)
      #expect(scratch.text("heard") == "stop\n")
    }

    @Test("W11 what a program that speaks leaves behind gets the signal when it has ended")
    func descendants() async throws {
      let process = try await start(
        [],
        """
        subprocess.Popen(["bash", "-c", \"\"\"
        trap 'sleep 0.2; echo descendant >> heard; exit' TERM
        touch ready; for ((i = 0; i < 600; i++)); do sleep 0.05; done\"\"\"])
        hear("stop")
        note("stop")
        os._exit(75)
        """)
      process.send(SIGTERM)
      try await process.wait().expectExit(75)
      #expect(scratch.text("heard") == "stop\ndescendant\n")
    }

    @Test("W11 a run under exec saves when its supervisor is asked to end, and goes on from there")
    func run() async throws {
      let process = try await SignalTests.working(
        in: scratch, through: [Programs.stint(), "exec", "--budget", "60s", "--"])
      process.send(SIGTERM)
      try await process.wait().expectExit(75)
      #expect(scratch.journal.ends("stopRequested") == 1)
      try await SignalTests.expectResumes(scratch)
    }
  }
}
