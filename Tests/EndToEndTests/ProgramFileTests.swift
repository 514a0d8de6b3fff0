import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("A program that is replaced while it works")
  struct ProgramFileTests {
    private let scratch: Scratch
    private static let gate = "exec -- sh -c 'touch begun; until test -e go; do sleep 0.01; done'"

    init() throws {
      scratch = try Scratch()
      try scratch.makeFolder("bin")
    }

    /// Copies a program, so that it can be replaced.
    private func install(_ name: String) throws {
      let folder = (try Programs.stint() as NSString).deletingLastPathComponent
      try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: scratch("bin/" + name))
    }

    private func start(_ words: [String]) throws -> StintProcess {
      try StintProcess(
        [scratch("bin/stint")] + words, in: scratch, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// Another file takes the place of a program, or none.
    private func replace(_ name: String, isRemoved: Bool) throws {
      if isRemoved { return try FileManager.default.removeItem(atPath: scratch("bin/" + name)) }
      try scratch.write("#!/bin/sh\ntouch wrong\nexit 127\n", to: "bin/new")
      chmod(scratch("bin/new"), 0o755)
      try #require(rename(scratch("bin/new"), scratch("bin/" + name)) == 0)
    }

    @Test("R10 an isolated run goes on with the program that began it", arguments: [false, true])
    func isolated(isRemoved: Bool) async throws {
      try install("stint")
      let run = try start([
        "run", "fibonacci", "\(UnfinishedJob.n)", "--output", "f", "--checkpoint-every", "50ms",
        "--isolated",
      ])
      try await run.wait(until: "a checkpoint") { scratch.journal.newestCheckpoint > 0 }
      try replace("stint", isRemoved: isRemoved)
      kill(try #require(scratch.journal.all("stintBegan").last?.pid), SIGSEGV)
      try await run.wait(atMost: .seconds(60)).expectExit(0, saying: "it crashed (signal 11)")
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: UnfinishedJob.n))
      #expect(!scratch.exists("wrong"))
    }

    @Test("every line of a batch is run by the program that began it", arguments: [false, true])
    func batch(isRemoved: Bool) async throws {
      try install("stint")
      try scratch.write(
        Self.gate + "\nexec -- touch after\nfibonacci 1000 -o f\n", to: "lines")
      let batch = try start(["batch", "lines", "-j", "1"])
      try await batch.wait(until: "the first line") { scratch.exists("begun") }
      try replace("stint", isRemoved: isRemoved)
      try scratch.write("", to: "go")
      try await batch.wait().expectExit(0)
      #expect(scratch.exists("after") && scratch.exists("f") && !scratch.exists("wrong"))
    }

    @Test(
      "the lines of a batch with images too, of which another program does the work",
      arguments: [false, true])
    func images(isRemoved: Bool) async throws {
      try install("stint")
      try install("stint-images")
      try Picture.write(to: "in.tif", in: scratch, width: 40, height: 30)
      try scratch.write(
        Self.gate + "\nimage in.tif out.png --filter invert\n"
          + "exec -- sh -c 'env | grep -c ^STINT_PROGRAMS; ls -l /proc/self/fd >open; :'\n",
        to: "lines")
      let batch = try start(["batch", "lines", "-j", "1"])
      try await batch.wait(until: "the first line") { scratch.exists("begun") }
      for name in ["stint", "stint-images"] { try replace(name, isRemoved: isRemoved) }
      try scratch.write("", to: "go")
      let run = try await batch.wait().expectExit(0)
      #expect(scratch.exists("out.png") && !scratch.exists("wrong"))
      #expect(run.text == "0\n", "a command is told nothing of it")
      #expect(!scratch.text("open").contains("bin/stint"), "\(scratch.text("open"))")
    }

    @Test(
      "where a filter of system calls refuses to run a descriptor, its path is run under its name",
      .enabled(if: Strace.mayTrace, Comment(rawValue: Strace.reason)))
    func refused() async throws {
      try scratch.write("exec --quiet -- sh -c 'cat /proc/$PPID/comm >name'\n", to: "lines")
      try await scratch.start(["batch", "lines"], with: "execveat:error=EPERM", at: [])
        .wait().expectExit(0)
      #expect(scratch.text("strace").contains("(INJECTED)"))
      #expect(scratch.text("name") == "stint\n")
    }

    @Test("the script of a chain names the path of the program, and not what became of it")
    func submitted() async throws {
      try install("stint")
      let run = try await scratch.shell(
        "exec 9<bin/stint; rm bin/stint; exec /proc/self/fd/9 submit --dry-run -- exec --resumable true"
      )
      #expect(run.text.contains(scratch("bin/stint")), "\(run.text)\(run.errors)")
      #expect(!run.text.contains("deleted"))
    }
  }
}
