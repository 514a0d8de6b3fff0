import Foundation
import Glibc
import StintCore
import Testing

extension EndToEnd {
  @Suite("Interrupted results")
  struct PartialResultTests {
    /// Every output that there is: a number in each of its formats, a sequence.
    static let outputs = [
      ["20000000"], ["20000000", "--format", "hex"], ["20000000", "--format", "raw"],
      ["--sequence", "1..20000"],
    ]
    private static let rounds = EndToEnd.isFull ? 100 : 8

    @Test("R18 a run that is interrupted leaves nothing partial under the final name")
    func interrupted() async throws {
      let seed: UInt64 = 0x7061_7274
      var numbers = SplitMix64(seed: seed)
      var cut = 0
      for what in Self.outputs {
        let run =
          ["run", "fibonacci"] + what + ["--checkpoint-every", "50ms", "-q", "--output", "out/f"]
        let whole = try Self.scratch()
        let yardstick = try await whole.start(run).wait().expectExit(0)
        let expected = try whole.bytes("out/f")
        for round in 1...Self.rounds {
          let scratch = try Self.scratch()
          let process = try scratch.start(run)
          // Half of them as soon as anything appears where the result belongs, the rest at random:
          // every other one in the first half of the time, as runs may be faster than the first.
          if round % 2 == 0 {
            try await process.wait(until: "a name") { !scratch.names(in: "out").isEmpty }
          } else {
            let latest = yardstick.took / (round % 4 == 1 ? 1 : 2)
            try await Task.sleep(for: numbers.duration(below: latest))
          }
          let signal = [SIGKILL, SIGTERM, SIGINT][round % 3]
          process.send(signal)
          let end = try await process.wait().end
          let told: Comment = "seed \(seed), \(what), round \(round), signal \(signal): \(end)"
          cut += end == .exited(0) ? 0 : 1
          if scratch.exists("out/f") { #expect(try scratch.bytes("out/f") == expected, told) }
          let next = try await scratch.start(run).wait()
          #expect(next.end == .exited(0), "\(told) then \(next.errors)")
          #expect(try scratch.bytes("out/f") == expected, told)
          #expect(scratch.names(in: "out") == ["f"], told)
        }
      }
      #expect(cut >= Self.outputs.count, "seed \(seed)")
    }

    private static func scratch() throws -> Scratch {
      let scratch = try Scratch()
      try scratch.makeFolder("out")
      return scratch
    }
  }
}
