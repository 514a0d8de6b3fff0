import Foundation
import Testing

extension EndToEnd {
  @Suite("Jobs by name")
  struct NamedJobTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A command that is done at its second start.
    private static let twice =
      "-- sh -c 'echo x >>starts; echo \"$TASK\" >>tasks; test -e s && exit 0; echo 1 >s; exit 75'"

    @Test(
      "a computation is found by its name, and other words under it are refused with both values")
    func computation() async throws {
      try await scratch.stint("run", "fibonacci", "1000", "-o", "f", "--name", "night")
        .expectExit(0)
      let key = try scratch.key
      let status = try await scratch.stint("status", "night")
      status.expectExit(0)
      #expect(status.text.hasPrefix(key))
      let other = try await scratch.stint(
        "run", "fibonacci", "2000", "-o", "f", "--name", "night")
      #expect(other.end == .exited(64))
      #expect(other.errors.contains("The job night has the n \"1000\""), "\(other.errors)")
      #expect(
        other.errors.contains("says \"2000\"; give another --name, or start over with --fresh"))
      let output = try await scratch.stint(
        "run", "fibonacci", "1000", "-o", "g", "--name", "night")
      #expect(output.end == .exited(64))
      #expect(output.errors.contains("f\", and this command says"), "\(output.errors)")
      let kind = try await scratch.stint("exec", "--name", "night", "--", "true")
      #expect(kind.end == .exited(125))
      #expect(kind.errors.contains("a job of the kind fibonacci"), "\(kind.errors)")
      try await scratch.stint("run", "fibonacci", "2000", "-o", "f", "--name", "night", "--fresh")
        .expectExit(0)
      #expect(try scratch.key == key)
      try await scratch.stint("verify", "night").expectExit(0)
      try await scratch.stint("clean", "night").expectExit(0)
      #expect(scratch.job == nil)
    }

    @Test("resume starts a command again, with its own words and the budget of now")
    func command() async throws {
      try await scratch.shell(
        "mkdir sub; cd sub; \"$STINT\" exec --budget 20s --name night --checkpoint-file s "
          + Self.twice
      ).expectExit(75)
      try await scratch.stint("resume", "night", "--budget", "10s").expectExit(0)
      #expect(scratch.text("sub/starts") == "x\nx\n")
      #expect(scratch.journal.all("stintBegan").count == 2)
      try await scratch.shell("rm -r sub").expectExit(0)
      let gone = try await scratch.stint("resume", "night")
      #expect(gone.end == .exited(69))
      #expect(gone.errors.contains("sub, in which the job is run, cannot be entered"))
    }

    @Test("a command with bytes that are no text is started again with these bytes")
    func oddBytes() async throws {
      let words = "-- sh -c 'printf %s \"$1\" >got; test -e s && exit 0; echo 1 >s; exit 75' sh"
      try await scratch.shell(
        "\"$STINT\" exec --checkpoint-file s \(words) \"$(printf 'a\\377\\nb')\""
      ).expectExit(75)
      let before = try scratch.bytes("got")
      try scratch.write("", to: "got")
      try await scratch.stint("resume", scratch.key).expectExit(0)
      #expect(try scratch.bytes("got") == before)
      #expect(before.contains(0xff))
    }

    @Test("a batch with a name may have other lines, and resume starts it again")
    func batch() async throws {
      try scratch.write("exec -- sh -c 'echo x >>one'\n", to: "jobs.txt")
      try await scratch.stint("batch", "jobs.txt", "--name", "night").expectExit(0)
      try scratch.write(
        "exec -- sh -c 'echo x >>one'\nexec -- sh -c 'echo x >>two'\n", to: "other.txt")
      try await scratch.stint("batch", "other.txt", "--name", "night").expectExit(0)
      #expect(scratch.names(in: "jobs").count == 1)
      try await scratch.shell("cd / && \"$STINT\" resume night").expectExit(0)
      #expect(scratch.text("one") == "x\n")
      #expect(scratch.text("two") == "x\n")
      let other = try await scratch.shell(
        "mkdir sub; cd sub; \"$STINT\" batch ../other.txt --name night")
      #expect(other.end == .exited(64))
      #expect(other.errors.contains("The job night has the directory"), "\(other.errors)")
      let input = try await scratch.shell(
        "echo 'exec -- true' | \"$STINT\" batch - --name input; \"$STINT\" resume input")
      #expect(input.end == .exited(64))
      #expect(input.errors.contains("read its lines from standard input"), "\(input.errors)")
    }

    @Test("a batch made of a template is resumed with its values, but not those of standard input")
    func template() async throws {
      let words = [
        "batch", "--name", "made", "--template", "sh -c 'echo \"$1\" >>out; test -e ok' sh {}",
      ]
      try await scratch.start(words + [":::", "a b", "--", "c"]).wait().expectExit(1)
      try scratch.write("", to: "ok")
      try await scratch.stint("resume", "made", "--budget", "1h").expectExit(0)
      #expect(
        scratch.text("out").split(separator: "\n").sorted() == ["--", "--", "a b", "a b", "c", "c"])
      let input = try await scratch.shell(
        "echo x | \"$STINT\" batch --name input --template 'true {}' -; \"$STINT\" resume input")
      #expect(input.end == .exited(64))
      #expect(input.errors.contains("read its lines from standard input"), "\(input.errors)")
    }

    @Test("two processes that take one name at once are one job")
    func atOnce() async throws {
      let words = ["exec", "--name", "night", "--", "sh", "-c", "echo x >>starts; sleep 100"]
      let first = try scratch.start(words)
      try await first.wait(until: "the job") {
        scratch.exists("starts")
          && scratch.names(in: "jobs").contains { scratch.exists("jobs/\($0)/job.json") }
      }
      let second = try await scratch.stint(
        "exec", "--name", "night", "--", "sh", "-c", "echo x >>starts; sleep 100")
      #expect(second.end == .exited(69))
      #expect(second.errors.contains("is in use by"), "\(second.errors)")
      try await scratch.stint("stop", "night", "--now").expectExit(0)
      _ = try await first.wait()
      #expect(scratch.text("starts") == "x\n")
    }

    @Test("tasks of an array are jobs of their own by --key-env, and a busy one says so")
    func tasks() async throws {
      let job =
        "SLURM_JOB_ID=9 SLURM_ARRAY_JOB_ID=9 SLURM_ARRAY_TASK_ID=%d \"$STINT\" exec --no-engine "
      let command = "--resumable -- sh -c 'echo x >>starts; sleep 100'"
      func task(_ number: Int, _ options: String = "") -> String {
        job.replacing("%d", with: "\(number)") + options + " " + command
      }
      let first = try StintProcess(["/bin/bash", "-c", "exec env " + task(1)], in: scratch)
      try await first.wait(until: "the start") { scratch.exists("starts") }
      let busy = try await scratch.shell(task(2))
      #expect(busy.end == .exited(69))
      #expect(busy.errors.contains("add --key-env SLURM_ARRAY_TASK_ID"), "\(busy.errors)")
      let again = try await scratch.shell(task(1))
      #expect(again.end == .exited(69))
      #expect(!again.errors.contains("--key-env"), "\(again.errors)")
      let own = try StintProcess(
        ["/bin/bash", "-c", "exec env " + task(2, "--key-env SLURM_ARRAY_TASK_ID")], in: scratch)
      try await own.wait(until: "the second start") { scratch.text("starts") == "x\nx\n" }
      #expect(scratch.names(in: "jobs").count { $0.hasPrefix("exec-") } == 2)
      for process in [first, own] {
        process.send(SIGTERM)
        _ = try await process.wait()
      }
    }

    @Test("a command of a task is started again as that task")
    func resumedTask() async throws {
      try await scratch.shell(
        "TASK=3 \"$STINT\" exec --key-env TASK --name night --checkpoint-file s " + Self.twice
      ).expectExit(75)
      try await scratch.stint("resume", "night").expectExit(0)
      #expect(scratch.text("tasks") == "3\n3\n")
      let unset = try await scratch.stint(
        "exec", "--key-env", "TASK", "--resumable", "--", "true")
      #expect(unset.end == .exited(125))
      #expect(unset.errors.contains("--key-env TASK: the variable is not set"), "\(unset.errors)")
    }
  }
}
