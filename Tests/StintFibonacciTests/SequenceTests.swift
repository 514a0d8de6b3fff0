import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("Sequences")
struct SequenceTests {
  private func sequence(_ first: Int, _ last: Int) throws -> FibonacciSequence {
    FibonacciSequence(try FibonacciRange(from: first, to: last)) { _, _ in }
  }

  /// The lines by plain addition.
  private func lines(_ first: Int, _ last: Int) -> String {
    var (previous, current) = (SimpleDecimal("1"), SimpleDecimal("0"))
    var text = ""
    for position in 0...last {
      if position >= first { text += "\(position) \(current.text)\n" }
      (previous, current) = (current, current.adding(previous))
    }
    return text
  }

  @Test(
    "W8 lines are those of plain addition",
    arguments: [
      (0, 0), (0, 1), (1, 1), (2, 2), (0, 400), (92, 95), (93, 93), (94, 94), (300, 700),
      (2990, 3000),
    ])
  func plainAddition(first: Int, last: Int) throws {
    #expect(try sequence(first, last).text() == lines(first, last))
  }

  @Test("W8 a far line is what GMP says")
  func far() throws {
    let text = try sequence(300_000, 300_001).text()
    let expected = (300_000...300_001).map {
      "\($0) \(BigInteger.fibonacciByGMP($0).decimalText)\n"
    }
    #expect(text == expected.joined())
  }

  @Test("W8 every schedule of cuts gives the same bytes", arguments: 0..<30 as Range<UInt64>)
  func anyCut(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let first = Int.random(
      in: 0..<[5, 200, 3000].randomElement(using: &generator)!, using: &generator)
    let last = first + Int.random(in: 0..<300, using: &generator)
    let computation = try sequence(first, last)
    let whole = try computation.uninterrupted()
    var schedule = Schedule(generator: generator, threads: 1)
    #expect(try schedule.run(computation) == whole, "seed \(seed): \(first)..\(last)")
  }

  @Test("W8 the stream is the same text, and stops when asked")
  func stream() throws {
    let computation = try sequence(10, 2000)
    var text: [UInt8] = []
    #expect(try computation.stream(into: { text += $0 }, stop: StopFlag()))
    #expect(try text == computation.uninterrupted())
    let flag = StopFlag()
    flag.raise()
    text = []
    #expect(try computation.stream(into: { text += $0 }, stop: flag) == false)
    #expect(text.isEmpty)
  }

  @Test("C2 every byte of every state flipped: refused or harmless")
  func flips() throws {
    let computation = try sequence(150, 156)
    let right = try computation.uninterrupted()
    var run = try ChunkRun(computation)
    while run.next != nil {
      let bytes = try run.bytes()
      for position in bytes.indices {
        for mask in [1, 0x80, 0xff] as [UInt8] {
          var damaged = bytes
          damaged[position] ^= mask
          let copy = MemoryWorkspace()
          copy.file().bytes = run.output
          do {
            let state = try computation.state(from: damaged, in: copy)
            var other = try ChunkRun(computation, from: state, in: copy)
            while other.next != nil { try other.advance() }
            try #require(other.output == right, "byte \(position), mask \(mask)")
          } catch let error as StintError {
            #expect([.damaged, .checkFailed].contains(error.code))
          }
        }
      }
      try run.advance()
    }
  }

  @Test("C2 a damaged line is found, at the latest by the check of the whole output")
  func damagedLine() throws {
    let computation = try sequence(100, 140)
    var run = try ChunkRun(computation)
    while case .doubling = run.state.phase { try run.advance() }
    try run.advance(atMost: 5000)
    let bytes = try run.bytes()
    let workspace = run.workspace
    workspace.file().bytes[workspace.file().bytes.count - 2] ^= 1
    #expect(throws: StintError.self) { try computation.state(from: bytes, in: workspace) }
    workspace.file().bytes[workspace.file().bytes.count - 2] ^= 1
    workspace.file().bytes[3] ^= 1
    try run.reload()
    #expect(throws: StintError.self) {
      while let next = run.next { try run.advance(atMost: next.largest) }
    }
  }

  @Test("C2 output that changed after it was read back is found when the state is loaded")
  func damagedAfterCheck() throws {
    let computation = try sequence(0, 12)
    let workspace = MemoryWorkspace()
    let output = try computation.uninterrupted(workspace)
    var prefix = StreamChecksum()
    output[..<20].withUnsafeBytes { prefix.append($0) }
    var whole = StreamChecksum()
    output.withUnsafeBytes { whole.append($0) }
    let half = SequenceCheck(
      sizeBytes: output.count, expected: whole, checked: 20, checksum: prefix)
    let states: [(SequenceState.Phase, readBytes: Int)] = [
      (.checking(half), 20), (.complete(sizeBytes: output.count, checksum: whole), output.count),
    ]
    for (phase, readBytes) in states {
      let bytes = try computation.bytes(of: SequenceState(phase: phase))
      _ = try computation.state(from: bytes, in: workspace)
      for position in 0..<readBytes {
        workspace.file().bytes[position] ^= 1
        let error = #expect(throws: StintError.self, "byte \(position)") {
          try computation.state(from: bytes, in: workspace)
        }
        #expect(error?.code == .damaged)
        workspace.file().bytes[position] ^= 1
      }
    }
  }
}
