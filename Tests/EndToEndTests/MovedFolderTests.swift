import Foundation
import Testing

extension EndToEnd {
  /// A folder with its jobs directory that is at another place in each slice: the scratch folder of
  /// HTCondor, a mount of a container.
  @Suite("Folders that are moved between two slices")
  struct MovedFolderTests {
    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      try scratch.makeFolder("a")
    }

    enum Way: String, CaseIterable {
      case renamed = "mv a b"
      case copied = "cp -r a b && rm -r a"
    }

    /// Runs `stint` in a folder, with a jobs directory beside what it works on.
    private func slice(_ folder: String, _ words: String) async throws -> FinishedProcess {
      try await scratch.shell("cd \(folder) && export STINT_JOBS=jobs && \"$STINT\" \(words)")
    }

    private func move(_ way: Way) async throws {
      try await scratch.shell(way.rawValue).expectExit(0)
    }

    private func journal(_ kind: String) -> Journal {
      let job = scratch.names(in: "b/jobs").first { $0.hasPrefix(kind + "-") }
      return Journal(text: job.map { scratch.text("b/jobs/\($0)/journal.jsonl") } ?? "")
    }

    /// How many jobs of a kind there are.
    private func count(_ kind: String) -> Int {
      scratch.names(in: "b/jobs").count { $0.hasPrefix(kind + "-") }
    }

    @Test(
      "a computation goes on from its checkpoint, and its result is the same",
      arguments: Way.allCases)
    func computation(way: Way) async throws {
      // Ended by a signal, so that no budget has to fit this machine.
      let words = "run fibonacci 60000000 --checkpoint-every 50ms -o f.txt"
      let running = try StintProcess(
        ["/bin/bash", "-c", "cd a && export STINT_JOBS=jobs && exec \"$STINT\" \(words) -q"],
        in: scratch)
      try await running.wait(until: "a checkpoint") {
        scratch.names(in: "a/jobs").contains { job in
          !scratch.names(in: "a/jobs/\(job)/checkpoints").isEmpty
        }
      }
      running.send(SIGTERM)
      let end = try await running.wait()
      try await move(way)
      // A machine that is fast enough has finished it, and then it is not done again.
      let isDone = end.end == .exited(0)
      try await slice("b", words).expectExit(0, saying: isDone ? "Finished before" : "Finished")
      #expect(count("fibonacci") == 1)
      #expect(journal("fibonacci").all("stintBegan").last?.restoredSequence != nil || isDone)
      try await slice("b", "run fibonacci 60000000 -o /dev/stdout >g.txt").expectExit(0)
      #expect(try scratch.bytes("b/f.txt") == scratch.bytes("b/g.txt"))
    }

    @Test("a command goes on, and is one job with two stints", arguments: Way.allCases)
    func command(way: Way) async throws {
      let command =
        "exec --checkpoint-file s -- "
        + "sh -c 'echo x >>starts; test -e s && exit 0; echo 1 >s; exit 75'"
      try await slice("a", command).expectExit(75)
      try await move(way)
      try await slice("b", command).expectExit(0)
      #expect(scratch.text("b/starts") == "x\nx\n")
      #expect(count("exec") == 1)
      #expect(journal("exec").all("stintBegan").count == 2)
    }

    @Test("a batch goes on with the lines that are left", arguments: Way.allCases)
    func batch(way: Way) async throws {
      try scratch.write(
        """
        fibonacci 1000 -o f1
        exec -- sh -c 'echo x >>once'
        exec --resumable -- sh -c 'echo x >>starts; test -e go || exit 75'
        """, to: "a/jobs.txt")
      try await slice("a", "batch jobs.txt -j 1").expectExit(75)
      let result = try scratch.bytes("a/f1")
      try await move(way)
      try scratch.write("", to: "b/go")
      try await slice("b", "batch jobs.txt -j 1").expectExit(0)
      #expect(scratch.text("b/once") == "x\n")
      #expect(scratch.text("b/starts") == "x\nx\n")
      #expect(try scratch.bytes("b/f1") == result)
      for kind in ["batch", "fibonacci", "exec"] { #expect(count(kind) == 1, "\(kind)") }
      // What was computed once is not computed again, also where its file is another one now.
      #expect(journal("fibonacci").all("finished").count == 1)
      #expect(journal("batch").all("stintBegan").count == 2)
      try await slice("b", "verify batch").expectExit(0)
    }

    @Test("a set of images goes on with what is left", arguments: Way.allCases)
    func images(way: Way) async throws {
      for name in ["1", "2"] {
        try Picture.write(to: "a/\(name).tif", in: scratch, width: 40, height: 30)
      }
      let words = "run image 1.tif 2.tif 3.tif --output-dir out --filter invert"
      // One input is missing, so that the set is not finished.
      try await slice("a", words).expectExit(1)
      let results = try ["1", "2"].map { try scratch.bytes("a/out/\($0).tif") }
      try await move(way)
      try Picture.write(to: "b/3.tif", in: scratch, width: 40, height: 30)
      let second = try await slice("b", words)
      second.expectExit(0, saying: "1 of them in this run")
      #expect(count("image-set") == 1)
      #expect(try ["1", "2"].map { try scratch.bytes("b/out/\($0).tif") } == results)
    }

    @Test(
      "a job that was begun by absolute paths is found by relative ones, and the other way round")
    func spelling() async throws {
      let words = "exec --checkpoint-file s -- sh -c 'date +%N >s; exit 75'"
      let run = "\"$STINT\" \(words)"
      for (first, second) in [("$PWD/jobs", "jobs"), ("jobs", "$PWD/jobs")] {
        try await scratch.shell("rm -rf a; mkdir a").expectExit(0)
        try await scratch.shell("cd a; STINT_JOBS=\(first) \(run)").expectExit(75)
        try await scratch.shell("cd a; STINT_JOBS=\(second) \(run)").expectExit(75)
        #expect(scratch.names(in: "a/jobs").count == 1)
      }
    }

    @Test("a jobs directory in another folder goes with the folder that holds both")
    func otherFolder() async throws {
      let words = "--jobs-dir ../state/jobs --checkpoint-file s -- sh -c 'date +%N >s; exit 75'"
      try await scratch.shell("mkdir -p a/state a/work; cd a/work; \"$STINT\" exec \(words)")
        .expectExit(75)
      try await move(.renamed)
      try await scratch.shell("cd b/work; \"$STINT\" exec \(words)").expectExit(75)
      #expect(scratch.names(in: "b/state/jobs").count == 1)
    }

    @Test("resume goes on in the folder as it is now")
    func resumed() async throws {
      let command =
        "exec --name night --checkpoint-file s -- "
        + "sh -c 'echo x >>starts; test -e s && exit 0; echo 1 >s; exit 75'"
      try await slice("a", command).expectExit(75)
      try await move(.renamed)
      try await scratch.shell("\"$STINT\" resume night --jobs-dir b/jobs").expectExit(0)
      #expect(scratch.text("b/starts") == "x\nx\n")
      #expect(journal("exec").all("stintBegan").count == 2)
    }
  }
}
