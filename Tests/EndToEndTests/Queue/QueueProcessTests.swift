import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite("The process that serves a queue")
  struct QueueProcessTests {
    @Test("A program that was replaced becomes its successor, and what runs goes on")
    func upgrade() async throws {
      let scratch = try Scratch()
      try scratch.makeFolder("bin")
      let program = scratch("bin/stint")
      try FileManager.default.copyItem(atPath: Programs.stint(), toPath: program)
      try FileManager.default.copyItem(atPath: program, toPath: scratch("bin/new"))
      try await QueueKillTests.submit(
        ["/bin/sh", "-c", "echo $PPID > first; sleep 14; echo done >> first"], in: scratch)
      let server = try StintProcess([program, "serve", "-j", "2"], in: scratch)
      try await server.wait(until: "the first request") { scratch.text("first").hasSuffix("\n") }
      #expect(rename(scratch("bin/new"), program) == 0)
      try await QueueKillTests.submit(["/bin/sh", "-c", "echo done > second"], in: scratch)
      try await server.wait(until: "the new program") { server.errorsSoFar.contains("replaced") }
      try await server.wait(until: "both requests") {
        scratch.text("second") == "done\n" && scratch.text("first").hasSuffix("done\n")
      }
      // The same process, which still knows its children.
      server.send(SIGTERM)
      try await server.wait().expectExit(0)
      #expect(scratch.text("first").split(separator: "\n").count == 2)
      let records = try await scratch.shell(
        "grep -ho '\"state\":\"[a-z]*\"' jobs/requests/*/request.json")
      #expect(records.text == "\"state\":\"done\"\n\"state\":\"done\"\n")
    }

    @Test("As process 1 of a container it serves, and ends when the container is stopped")
    func processOne() async throws {
      try #require(geteuid() == 0)
      let scratch = try Scratch()
      try await QueueKillTests.submit(
        ["/bin/sh", "-c", "(sleep 0.2; echo late > orphan) & echo $$ > ran"], in: scratch)
      let container = try StintProcess(
        [
          "/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child", Programs.stint(),
          "serve",
        ], in: scratch)
      try await container.wait(until: "the request") { scratch.exists("ran") }
      try await container.wait(until: "its end") {
        scratch.text("jobs/requests/1/request.json").contains("\"done\"")
      }
      let stint = try #require(QueueKillTests.children(of: container.pid).first)
      kill(stint, SIGTERM)
      try await container.wait().expectExit(0)
    }

    @Test("Ctrl-C saves what runs and ends with 75")
    func interrupted() async throws {
      let scratch = try Scratch()
      try await QueueKillTests.submitWork(1, in: scratch)
      let wake = try scratch.start(["wake"])
      try await wake.wait(until: "the first step") { scratch.exists("steps1") }
      wake.sendToGroup(SIGINT)
      let end = try await wake.wait()
      #expect(end.end == .exited(75) || end.end == .signalled(SIGINT), "\(end.errors)")
      #expect(scratch.exists("saved"))
      try await QueueKillTests.finish(in: scratch)
      QueueKillTests.expectEachOnce(1, in: scratch)
    }

    @Test("Q6 a command has the usual signals and no terminal, and dies of a signal as of a crash")
    func surroundings() async throws {
      let scratch = try Scratch()
      try await QueueKillTests.submit(
        ["/bin/sh", "-c", "grep SigIgn /proc/self/status; true < /dev/tty || yes | head -n 1"],
        in: scratch)
      try await QueueKillTests.submit(["/bin/sh", "-c", "kill -TERM $$"], in: scratch)
      let server = try scratch.start(["serve", "-j", "2"])
      try await server.wait(until: "both ends") {
        scratch.text("jobs/requests/1/request.json").contains("\"done\"")
          && scratch.text("jobs/requests/2/request.json").contains("crashed by signal 15")
      }
      let printed = scratch.text("jobs/requests/1/output").split(separator: "\n")
      let ignored = printed.first.flatMap { UInt64($0.dropFirst("SigIgn:\t".count), radix: 16) }
      let piped = UInt64(1) << (SIGPIPE - 1) | 1 << (SIGXFSZ - 1)
      #expect(ignored.map { $0 & piped } == 0, "\(printed)")
      #expect(printed.last == "y", "\(printed)")
      server.send(SIGTERM)
      #expect(try await server.wait().end == .exited(75))
    }

    @Test("stop --now ends work that does not hear")
    func stopNow() async throws {
      let scratch = try Scratch()
      try await QueueKillTests.submit(
        ["/bin/sh", "-c", "trap '' TERM; echo > deaf; exec sleep 300"], in: scratch)
      let server = try scratch.start(["serve"])
      try await server.wait(until: "the trap") { scratch.exists("deaf") }
      try await scratch.stint("stop", "--now", "1").expectExit(0)
      try await server.wait(until: "its end", atMost: .seconds(4)) {
        scratch.text("jobs/requests/1/request.json").contains("\"stopped\"")
      }
      server.send(SIGTERM)
      try await server.wait().expectExit(0)
    }

    @Test("A folder of requests that was taken away is seen, and the next one is served")
    func folderGone() async throws {
      let scratch = try Scratch()
      let server = try scratch.start(["serve"])
      try await server.wait(until: "its folder") { scratch.exists("jobs/requests/served") }
      try await QueueKillTests.submit(["/bin/sh", "-c", "echo > first"], in: scratch)
      try await server.wait(until: "the first request") { scratch.exists("first") }
      try FileManager.default.removeItem(atPath: scratch.jobs)
      try await QueueKillTests.submit(["/bin/sh", "-c", "echo > second"], in: scratch)
      try await server.wait(until: "the second request", atMost: .seconds(60)) {
        scratch.exists("second")
      }
      #expect(server.errorsSoFar.contains("taken away or replaced"))
      server.send(SIGTERM)
      try await server.wait().expectExit(0)
    }

    @Test("A budget of wake bounds what it begins, and the next one goes on")
    func budget() async throws {
      let scratch = try Scratch()
      let n = StintsTests.n
      try await QueueKillTests.submit(
        ["run", "fibonacci", "\(n)", "-o", "f"], in: scratch)
      var wakes = 0
      var last = ProcessEnd.exited(75)
      while last == .exited(75), wakes < 60 {
        wakes += 1
        last = try await scratch.start(["wake", "--budget", "\(300 + 100 * wakes)ms"]).wait().end
      }
      #expect(last == .exited(0))
      #expect(wakes > 1)
      #expect(try await scratch.bytes("f") == Yardstick.shared.bytes(of: n))
    }

    @Test("What a request prints is bounded, and its beginning and its end are kept")
    func boundedOutput() async throws {
      let scratch = try Scratch()
      try await QueueKillTests.submit(
        [
          "/bin/sh", "-c",
          "echo first; head -c 60000000 /dev/zero | tr '\\0' x; sleep 2; head -c 60000000 /dev/zero | tr '\\0' y; echo; echo last; sleep 2",
        ], in: scratch)
      try await scratch.start(["wake"]).wait().requireExit(0)
      var status = stat()
      #expect(stat(scratch("jobs/requests/1/output"), &status) == 0)
      #expect(status.st_blocks * 512 < 20 << 20)
      let ends = try await scratch.shell(
        "head -n 1 jobs/requests/1/output; tail -n 1 jobs/requests/1/output")
      #expect(ends.text.hasPrefix("first\n") && ends.text.hasSuffix("last\n"))
    }
  }
}
