import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  /// Chains of shards, in the hands of a Slurm that is three scripts: what it was given is in
  /// `queue`, and a test runs it.
  @Suite("Submitted shards")
  struct SubmitShardsTests {
    let scratch: Scratch

    init() async throws {
      scratch = try Scratch()
      try await scratch.shell(
        """
        mkdir bin queue
        cat >bin/sbatch <<'END'
        #!/bin/sh
        count=$(ls "$HOME/queue" | wc -l)
        [ "$count" -lt "$(cat "$HOME/most")" ] || { echo 'the queue is full' >&2; exit 1; }
        for word; do last=$word; case $word in --job-name=*) name=${word#*=} ;; esac; done
        echo "$name $last" >"$HOME/queue/$((100 + count))"
        echo "$last" >>"$HOME/submitted"
        echo $((100 + count))
        END
        cat >bin/squeue <<'END'
        #!/bin/sh
        cd "$HOME/queue" || exit 1
        while [ $# -gt 0 ]; do [ "$1" = -j ] && id=$2; shift; done
        if [ -z "$id" ]; then ls; elif [ -e "$id" ]; then echo 'PD|Priority|(null)'; fi
        END
        cat >bin/scancel <<'END'
        #!/bin/sh
        for word; do last=$word; done
        echo "$last" >>"$HOME/cancelled"
        END
        printf '#!/bin/sh\\n' >bin/scontrol
        chmod +x bin/*
        echo 1000 >most
        """
      ).requireExit(0)
    }

    private func submit(_ words: String) async throws -> FinishedProcess {
      try await scratch.shell("PATH=$HOME/bin:$PATH \"$STINT\" submit " + words)
    }

    /// Runs the slice of every array that waits, side by side.
    private func runQueue() async throws -> FinishedProcess {
      try await scratch.shell(
        """
        PATH=$HOME/bin:$PATH
        ids=$(ls queue)
        for id in $ids; do
          read name script <queue/$id
          SLURM_ARRAY_JOB_ID=$id SLURM_ARRAY_TASK_ID=1 SLURM_JOB_ID=$id sh "$script" \
            >>out-$id 2>&1 &
        done
        wait
        cd queue && rm $ids
        """)
    }

    private func status(_ name: String) async throws -> [String: Any] {
      try await scratch.stint("status", name, "--json").object
    }

    private func whole(_ submitted: FinishedProcess) throws -> String {
      let words = submitted.text.split(separator: "\n").last?.split(separator: " ") ?? []
      try #require(words.count > 2, "\(submitted.text) \(submitted.errors)")
      return String(words[2])
    }

    @Test(
      "X5 a command is submitted with a word on how its slices go on, or not at all",
      arguments: [
        ("exec -- python3 train.py", 64, "--checkpoint-file, or the file that shows"),
        ("exec 30s sleep 60", 64, "docs/your-program.md"),
        ("exec --checkpoint-file c -- true", 0, ""), ("exec --done-file d -- true", 0, ""),
        ("exec --resumable -- true", 0, ""), ("batch l", 0, "Line 2 begins anew"),
      ])
    func goesOn(words: String, status: Int32, part: String) async throws {
      try scratch.write(
        "exec --resumable -- true\nexec --progress-file p -- true\nexec --done-file d -- true\n",
        to: "l")
      let ended = try await submit("--dry-run -- " + words)
      #expect(ended.end == .exited(status), "\(ended.errors)")
      #expect(part.isEmpty ? ended.errors == "" : ended.errors.contains(part), "\(ended.errors)")
      if status != 0 { #expect(ended.errors.contains("--resumable"), "\(ended.errors)") }
      #expect(scratch.text("submitted") == "")
    }

    @Test(
      "the words of the work are read as a slice will read them",
      arguments: [
        ("exec --lead 2s --resumable -- true", 0, ""),
        ("run fibonacci 9 -o f --lead 2s --until-done", 0, ""),
        ("run fibonacci 9 -o f --lead 2s --budget 1s", 64, "budget"),
        ("run fibonacci 9 -o /dev/shm/f", 64, "give --output on"),
        ("exec --checkpoint-file /dev/shm/f -- true", 64, "give --checkpoint-file on"),
        ("run image a.png --output-dir /dev/shm/d --filter invert", 64, "give --output-dir on"),
        ("run image --files-from - --output-dir d --filter invert", 64, "the list into a file"),
      ])
    func words(work: String, status: Int32, message: String) async throws {
      let tried = try await submit("--dry-run -- \(work)").expectExit(status)
      #expect(message.isEmpty ? tried.errors.isEmpty : tried.errors.contains(message))
    }

    @Test(
      "one command submits a chain for each shard of lines from a pipe; again, it leaves them alone"
    )
    func chains() async throws {
      let first = try await submit(
        "--shards 3 -- batch - --name n < <(printf 'exec -- sh -c \"echo %d >>c%d\"\\n' 1 1 2 2 3 3 4 4)"
      ).expectExit(0)
      #expect(scratch.names(in: "queue").count == 3)
      let again = try await submit("--shards 3 -- batch - --name n < <(printf 'exec -- true\\n')")
        .expectExit(0)
      #expect(again.text.components(separatedBy: "is queued already").count == 4)
      #expect(scratch.names(in: "queue").count == 3)
      let whole = try whole(first)
      #expect((try await status(whole)["parts"] as? [[String: Any]])?.count == 3)
      _ = try await runQueue()
      // The lines are those that were there when it was submitted.
      for index in 1...4 { #expect(scratch.text("c\(index)") == "\(index)\n") }
      let status = try await status(whole)
      #expect(status["done"] as? Int == 4)
      #expect(status["left"] as? Int == 0)
      let parts = status["parts"] as? [[String: Any]] ?? []
      #expect(parts.allSatisfy { $0["state"] as? String == "finished" })
      // The key of the batch's own whole finds the same chains.
      let job = try #require(parts.first?["job"] as? String)
      let ofWork = try await self.status(job)["wholeStatus"] as? [String: Any]
      let chains = (ofWork?["parts"] as? [[String: Any]])?.compactMap {
        ($0["chain"] as? [String: Any])?["job"] as? String
      }
      #expect(chains?.count == 3)
    }

    @Test("what follows is submitted once, when the last of all shards is finished")
    func followed() async throws {
      let lines = (1...6).map { "exec -- sh -c 'echo >c\($0)'\n" }.joined()
      func followers() -> Int {
        scratch.text("submitted").split(separator: "\n").count { $0 == "now" }
      }
      try scratch.write("exec -- false\n" + lines, to: "bad")
      let whole = try whole(try await submit("--shards 3 --then 'next.sh now' -- batch bad"))
      _ = try await runQueue()
      #expect(try await status(whole)["failed"] as? Int == 1)
      #expect(followers() == 0, "shard 1 of 3 has a line that failed")
      // Other work, which succeeds.
      try scratch.write(lines, to: "good")
      try await submit("--shards 3 --then 'next.sh now' -- batch good").expectExit(0)
      let ran = try await runQueue()
      #expect(followers() == 1, "\(ran.errors)")
      #expect(scratch.names(in: "queue").count == 1)
    }

    @Test("a shard that is refused stops those that were submitted before it")
    func refused() async throws {
      try scratch.write("exec -- sh -c 'echo 1 >>c1'\nexec -- sh -c 'echo 2 >>c2'\n", to: "lines")
      try scratch.write("2", to: "most")
      try await submit("--shards 3 -- batch lines")
        .expectExit(69, saying: "Shard 3 of 3 was not submitted")
      #expect(scratch.text("cancelled") == "100\n101\n")
      // They begin all the same, and do nothing.
      _ = try await runQueue()
      #expect(!scratch.exists("c1") && !scratch.exists("c2"))
      try scratch.write("1000", to: "most")
      #expect(try await submit("--shards 3 -- batch lines").end == .exited(0))
      #expect(scratch.names(in: "queue").count == 3)
      try await submit("--shards 2 -- batch lines").expectExit(64, saying: "as shard 1 of 3")
    }

    @Test("stopping the whole stops every chain, and none of their slices does anything")
    func stopped() async throws {
      try scratch.write("exec -- sh -c 'echo 1 >>c1'\nexec -- sh -c 'echo 2 >>c2'\n", to: "lines")
      let whole = try whole(try await submit("--shards 2 -- batch lines"))
      try await scratch.shell("PATH=$HOME/bin:$PATH \"$STINT\" stop \(whole)").expectExit(0)
      #expect(scratch.text("cancelled") == "100\n101\n")
      _ = try await runQueue()
      #expect(!scratch.exists("c1") && !scratch.exists("c2"))
      #expect(try await scratch.stint("watch", whole).end == .exited(0))
    }

    // MARK: Images

    private static let images = "run image --recursive in --output-dir out --filter invert"

    private func pictures(_ names: [String]) throws {
      if !scratch.exists("in") { try scratch.makeFolder("in") }
      for name in names {
        try Picture.write(
          to: "in/\(name).tif", in: scratch, width: 30, height: 20, seed: UInt64(name.count))
      }
    }

    /// How often each result was made, by the ledgers of all jobs.
    private func made() -> [String: Int] {
      var counts: [String: Int] = [:]
      for job in scratch.names(in: "jobs") {
        let lines = scratch.text("jobs/\(job)/partial/set").split(separator: "\n")
        var names: [Int: String] = [:]
        for line in lines {
          let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          guard let object, let place = object["place"] as? Int else { continue }
          if let stem = object["stem"] as? String { names[place] = stem }
          if object["event"] as? String == "done" { counts[names[place] ?? "", default: 0] += 1 }
        }
      }
      return counts
    }

    private func sizes(_ status: [String: Any]) -> [Int] {
      (status["parts"] as? [[String: Any]] ?? []).map { $0["items"] as? Int ?? -1 }
    }

    @Test("shards take images in turn from the list of the submission, which only grows")
    func imagesInTurn() async throws {
      try pictures(["b", "c", "d", "e", "f", "g", "h"])
      let whole = try whole(try await submit("--shards 3 -- \(Self.images)").expectExit(0))
      // It comes first by its name, and after the list was made.
      try pictures(["a"])
      _ = try await runQueue()
      #expect(scratch.names(in: "out") == ["b", "c", "d", "e", "f", "g", "h"].map { $0 + ".tif" })
      #expect(sizes(try await status(whole)) == [3, 2, 2])

      // One shard is still queued: it has the new list, too.
      try await submit("--shards 3 -- \(Self.images)").expectExit(0)
      try pictures(["i"])
      let again = try await submit("--shards 3 -- \(Self.images)").expectExit(0)
      #expect(again.text.contains("Shard 2 of 3 is queued already"))
      let ran = try await runQueue()
      let all = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
      #expect(scratch.names(in: "out") == all.map { $0 + ".tif" }, "\(ran.errors)")
      #expect(made() == Dictionary(uniqueKeysWithValues: all.map { ($0, 1) }))
      #expect(sizes(try await status(whole)) == [3, 3, 3])

      // By hand another rule would come into it; by its own list the job goes on.
      let part = try #require(
        (try await status(whole)["parts"] as? [[String: Any]])?[1]["job"] as? String)
      try await scratch.shell("\"$STINT\" \(Self.images) --shard 2/3")
        .expectExit(64, saying: "stint resume \(part)")
      try await scratch.stint("resume", part, "-q").expectExit(0)

      try await scratch.shell("rm in/e.tif").expectExit(0)
      try await submit("--shards 3 -- \(Self.images)").expectExit(0)
      _ = try await runQueue()
      #expect(made() == Dictionary(uniqueKeysWithValues: all.map { ($0, 1) }))
      let last = try await status(whole)
      #expect(sizes(last) == [2, 3, 3])
      #expect(last["done"] as? Int == 8)
      #expect(last["left"] as? Int == 0)
    }

    @Test("shards that were begun by hand, or by an earlier version, keep to the names of results")
    func imagesByName() async throws {
      try pictures(["b", "c", "d", "e", "f", "g", "h"])
      try await submit("--shards 3 -- \(Self.images)").expectExit(0)
      try await scratch.shell("\"$STINT\" \(Self.images) --shard 1/3 -q").expectExit(0)
      _ = try await runQueue()
      let logs = scratch.names(in: ".").filter { $0.hasPrefix("out-") }.map { scratch.text($0) }
      #expect(logs.count == 3)
      #expect(logs.allSatisfy { $0.contains("Submit the work again") }, "\(logs)")
      #expect(made().values.allSatisfy { $0 == 1 })
      let named = try await submit("--shards 3 -- \(Self.images)")
        .expectExit(0, saying: "all shards keep to that")
      _ = try await runQueue()
      let all = ["b", "c", "d", "e", "f", "g", "h"]
      #expect(made() == Dictionary(uniqueKeysWithValues: all.map { ($0, 1) }))
      #expect(try await status(try whole(named))["left"] as? Int == 0)

      // Those of an earlier version have no list.
      let other = Self.images + " --suffix -x"
      try await submit("--shards 2 -- \(other)").expectExit(0)
      try await scratch.shell("rm jobs/chain-*/input").expectExit(0)
      try await submit("--shards 2 -- \(other)").expectExit(0, saying: "all shards keep to that")
      _ = try await runQueue()
      #expect(scratch.names(in: "out").count == 14)
      #expect(!(try await scratch.shell("ls jobs/chain-*/input")).text.contains("input"))
    }

    @Test("inputs that cannot be are refused when the work is submitted")
    func noImages() async throws {
      try scratch.makeFolder("in")
      try await submit("--shards 2 -- \(Self.images)").expectExit(64, saying: "no image in in")
      #expect(scratch.names(in: "jobs") == [] && scratch.names(in: "queue") == [])
    }

    @Test("what is no list of items is not cut, and a dry run shows every chain")
    func others() async throws {
      for words in ["run fibonacci 10 -o x", "exec --resumable true", "run image a.png b.png"] {
        try await submit("--shards 2 -- " + words)
          .expectExit(64, saying: "Only a batch and a set of images")
      }
      let shown = try await submit("--shards 2 --dry-run -- run image a.png --output-dir out")
      #expect(shown.text.contains("run --shard=1/2 image a.png"), "\(shown.errors)")
      #expect(shown.text.contains("run --shard=2/2 image a.png"))
      #expect(scratch.names(in: "queue") == [])
      #expect(scratch.names(in: "jobs") == [])
    }
  }
}
