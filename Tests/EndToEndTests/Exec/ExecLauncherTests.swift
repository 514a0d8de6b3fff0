import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Launchers as they answer signals, played by scripts; the real ones are in `Tests/Slurm`.
  @Suite("exec: launchers of ranks")
  struct ExecLauncherTests {
    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      try FileManager.default.createDirectory(
        atPath: scratch("bin"), withIntermediateDirectories: true)
    }

    /// Puts a program into the folder that is looked through first.
    private func program(_ name: String, _ text: String) throws {
      try scratch.write("#!/bin/sh\n" + text + "\n", to: "bin/" + name)
      chmod(scratch("bin/" + name), 0o700)
    }

    private func exec(_ words: String) async throws -> FinishedProcess {
      try await scratch.shell(
        "export PATH=\"$PWD/bin:$PATH\"; \"$STINT\" exec --budget 1500ms --lead 1s \(words)",
        atMost: .seconds(60))
    }

    /// A launcher that notes each signal; `TERM` is the end of its ranks.
    private static let launcher = """
      trap 'echo USR1 >>heard; echo saved >>state; exit 75' USR1
      trap 'echo TERM >>heard; exit 137' TERM
      echo $$ >pid; echo start >>heard
      while :; do sleep 0.02; done
      """

    @Test("X8 the ranks of mpirun are warned by USR1, and a stop from outside reaches them so, too")
    func mpi() async throws {
      try program("mpirun", Self.launcher)
      let ended = try await exec("--checkpoint-file state -- mpirun")
      #expect(ended.end == .exited(75), "\(ended.errors)")
      #expect(scratch.text("heard") == "start\nUSR1\n")
      let process = try scratch.start([
        "exec", "--checkpoint-file", "state", "--", scratch("bin/mpirun"),
      ])
      try await waitUntil("its start") { scratch.text("heard").hasSuffix("USR1\nstart\n") }
      process.send(SIGTERM)
      _ = try await process.wait()
      #expect(scratch.text("heard") == "start\nUSR1\nstart\nUSR1\n")
      let chosen = try await exec("--checkpoint-file state --launcher none -- mpirun")
      #expect(scratch.text("heard").hasSuffix("start\nTERM\n"), "\(chosen.errors)")
    }

    @Test("X8 a rank that dies of USR1 is told by a notice, and the work is unfinished")
    func noHandler() async throws {
      try program("mpiexec", "trap 'exit 138' USR1; while :; do sleep 0.02; done")
      let ended = try await exec("--checkpoint-file state -- mpiexec")
      #expect(ended.end == .exited(75))
      #expect(ended.errors.contains("has no handler"), "\(ended.errors)")
    }

    @Test("X8 the ranks of srun are warned through Slurm, which knows the step by its process")
    func srun() async throws {
      try program("srun", Self.launcher)
      try program(
        "scontrol",
        """
        echo "$*" >>asked
        echo "StepId=7.batch UserId=0 SrunHost:Pid=(null):0"
        echo "StepId=7.1 UserId=0 SrunHost:Pid=elsewhere:$(cat pid)"
        echo "StepId=7.2 UserId=0 SrunHost:Pid=$(hostname):$(cat pid)"
        """)
      try program("scancel", "echo \"$*\" >>cancelled; kill -USR1 $(cat pid)")
      let ended = try await exec("--checkpoint-file state -- srun")
      #expect(ended.end == .exited(75), "\(ended.errors)")
      #expect(scratch.text("heard") == "start\nUSR1\n")
      #expect(scratch.text("cancelled") == "--signal=15 7.2\n")
      unlink(scratch("cancelled"))
      // USR1 is srun's own to pass on.
      let user = try await exec("--checkpoint-file state --signal USR1 -- srun")
      #expect(user.end == .exited(75), "\(user.errors)")
      #expect(scratch.text("cancelled") == "")
    }

    @Test("X8 while Slurm is silent srun is not ended, and a notice says so once")
    func silent() async throws {
      try program("srun", Self.launcher)
      try program("scontrol", "exit 1")
      try program("scancel", "echo never >>cancelled")
      let ended = try await exec("--checkpoint-file state -- srun")
      // TERM came with the deadline, so that the ranks go before srun.
      #expect(ended.end == .exited(137), "\(ended.errors)")
      #expect(scratch.text("heard") == "start\nTERM\n")
      #expect(ended.errors.split(separator: "\n").count { $0.contains("does not answer") } == 1)
      #expect(scratch.text("cancelled") == "")
    }

    @Test("X8 an srun that has no ranks yet is ended, and that is no failure")
    func noStep() async throws {
      try program("srun", "trap 'exit 1' TERM; while :; do sleep 0.02; done")
      try program("scontrol", "true")
      let ended = try await scratch.shell(
        """
        PATH="$PWD/bin:$PATH" "$STINT" exec --budget 4s --lead 3500ms --checkpoint-file state -- srun
        """, atMost: .seconds(60))
      #expect(ended.end == .exited(75), "\(ended.errors)")
    }

    @Test("X8 srun that does not end is killed after its ranks, and its helper last")
    func killed() async throws {
      // The second process kills the ranks when the first has gone, if it lives so long.
      try program(
        "shepherd",
        """
        trap '' TERM
        while grep -q "^PPid:.$1$" /proc/$$/status; do sleep 0.02; done
        echo gone >ranks
        """)
      try program("srun", "trap '' TERM; shepherd $$ & while :; do sleep 0.02; done")
      try program("scontrol", "exit 1")
      let ended = try await exec("--checkpoint-file state -- srun")
      #expect(ended.end == .exited(137), "\(ended.errors)")
      #expect(scratch.text("ranks") == "gone\n")
    }

    @Test("X8 a script that starts the launcher is no launcher, unless that is said")
    func wrapped() async throws {
      try program("mpirun", Self.launcher)
      let ended = try await exec(
        "--checkpoint-file state --launcher mpi -- sh -c 'mpirun; exit $?'")
      #expect(ended.end == .exited(75), "\(ended.errors)")
      #expect(scratch.text("heard") == "start\nUSR1\n")
    }
  }
}
