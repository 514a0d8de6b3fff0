import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("Shards")
  struct ShardTests {
    @Test("two shards of mixed lines side by side run each line once, and the sums are right")
    func batch() async throws {
      let scratch = try Scratch()
      var lines = ["exec -- false"]
      for index in 1...8 {
        // Each shard gets some of both.
        let command = "exec -- sh -c 'trap \"\" TERM; sleep 0.2; echo x >>c\(index)'"
        let number = "fibonacci \(9_973 * index) -o n\(index)"
        lines += index % 2 == 0 ? [number, command] : [command, number]
      }
      // Neither shard is finished before it is stopped.
      lines += (1...2).map { "exec -- sh -c 'until [ -e go ]; do sleep 0.0\($0); done'" }
      try scratch.write(lines.joined(separator: "\n") + "\n", to: "lines")
      func start() throws -> [StintProcess] {
        try ["1/2", "2/2"].map {
          try scratch.start(["batch", "lines", "--shard", $0, "-j", "1", "-q"])
        }
      }
      let first = try start()
      try await waitUntil("a command of each shard") {
        scratch.exists("c1") && scratch.exists("c2") || first.contains(where: \.hasEnded)
      }
      for process in first {
        process.send(SIGTERM)
        #expect(try await process.wait().end == .exited(75))
      }
      try scratch.write("", to: "go")
      let second = try start()
      #expect(try await second[0].wait(atMost: .seconds(60)).end == .exited(1))
      #expect(try await second[1].wait(atMost: .seconds(60)).end == .exited(0))
      for index in 1...8 {
        #expect(scratch.text("c\(index)") == "x\n")
        let bytes = try scratch.bytes("n\(index)")
        #expect(try await Yardstick.shared.bytes(of: 9_973 * index) == bytes)
      }
      let status = try await scratch.stint("status", "batch", "--json").object
      #expect(status["items"] as? Int == 19)
      #expect(status["done"] as? Int == 18)
      #expect(status["failed"] as? Int == 1)
      #expect(status["left"] as? Int == 0)
      let failure = (status["failures"] as? [[String: Any]])?.first
      #expect(failure?["number"] as? Int == 1)
      #expect(failure?["why"] as? String == "exit status 1")
    }

    @Test("two shards of many images make what one run makes, byte for byte, in the same folder")
    func images() async throws {
      let scratch = try Scratch()
      try scratch.makeFolder("in")
      var inputs = ["in/broken.tif"]
      try scratch.write("no image", to: "in/broken.tif")
      for index in 0..<9 {
        inputs.append("in/\(index).tif")
        try Picture.write(
          to: "in/\(index).tif", in: scratch, width: 60 + index, height: 90, seed: UInt64(index))
      }
      let filters = ["--format", "png", "--filter", "median:5", "-q"]
      #expect(
        try await scratch.image(inputs + ["--output-dir", "whole"] + filters).end == .exited(1))
      let processes = try ["1/2", "2/2"].map {
        try scratch.start(
          ["run", "image"] + inputs + ["--output-dir", "cut", "--shard", $0] + filters)
      }
      // The name of a result says which part it is of, so one of them has the broken one.
      let ends = [try await processes[0].wait().end, try await processes[1].wait().end]
      #expect(ends == [.exited(1), .exited(0)] || ends == [.exited(0), .exited(1)])
      #expect(scratch.names(in: "cut") == scratch.names(in: "whole"))
      for name in scratch.names(in: "whole") {
        #expect(try scratch.bytes("cut/\(name)") == scratch.bytes("whole/\(name)"), "\(name)")
      }
      let status = try await scratch.stint("status", "cut", "--json").object
      #expect(status["items"] as? Int == 10)
      #expect(status["done"] as? Int == 9)
      #expect(status["left"] as? Int == 0)
      let failure = (status["failures"] as? [[String: Any]])?.first
      #expect(failure?["number"] as? Int == 1)
      #expect(failure?["name"] as? String == scratch("in/broken.tif"))
      try await scratch.image(inputs + ["--output-dir", "cut", "--shard", "1/3"] + filters)
        .expectExit(64)
    }

    @Test("K out of range and collisions in the whole are refused; a shard without items finishes")
    func edges() async throws {
      let scratch = try Scratch()
      try scratch.write("exec -- true\nfibonacci 10 -o x\nfibonacci 20 -o x\n", to: "collision")
      try scratch.write("exec -- true\nexec -- sh -c 'echo 2'\n", to: "lines")
      for shard in ["0/2", "3/2", "1", "x/2"] {
        try await scratch.stint("batch", "lines", "--shard", shard).expectExit(64, saying: "K/N")
      }
      // Neither of the two lines is this shard's.
      try await scratch.stint("batch", "collision", "--shard", "1/3")
        .expectExit(64, saying: "line 2 too")
      #expect(try await scratch.stint("batch", "lines", "--shard", "4/5").end == .exited(0))
      try Picture.write(to: "a.tif", in: scratch, width: 20, height: 20)
      for shard in ["1/2", "2/2"] {
        let out = "out\(shard.prefix(1))"
        try await scratch.image(
          ["a.tif", "--output-dir", out, "--filter", "invert", "--shard", shard]).expectExit(0)
      }
      #expect(scratch.names(in: "out1") + scratch.names(in: "out2") == ["a.tif"])
      #expect(
        try await scratch.stint("run", "image", "a.tif", "b.tif", "--shard", "1/2").end
          == .exited(64))
      #expect(try await scratch.stint("batch", "lines").end == .exited(0))
    }

    @Test("each shard reads all lines of standard input and runs its own")
    func standardInput() async throws {
      let scratch = try Scratch()
      let run = try await scratch.shell(
        """
        for k in 1 2 3; do
          printf 'exec -- echo %d\\n' 1 2 3 4 5 | "$STINT" batch - --shard $k/3 -q -j 1
        done
        """)
      #expect(run.text == "1\n4\n2\n5\n3\n")
    }
  }
}
