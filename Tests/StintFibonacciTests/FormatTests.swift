import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("The format of states, byte by byte, and estimates")
struct FormatTests {
  /// Little-endian words, as the format's documentation has them.
  private func words(_ values: UInt64...) -> [UInt8] {
    values.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  }

  @Test("C5 a doubling state is encoded as documented")
  func doubling() throws {
    let computation = try FibonacciComputation.small(1000)
    let state = try computation.start(in: MemoryWorkspace())
    // 1000 is 62 with four bits to come; F(62) and F(61) fit a word.
    let expected =
      words(1000) + [0] + words(4) + [0] + words(8, 4_052_739_537_881) + words(8, 2_504_730_781_961)
    #expect(try computation.bytes(of: state) == expected)
  }

  @Test("C5 a writing state is encoded as documented")
  func writing() throws {
    let computation = try FibonacciComputation.small(100, block: 8)
    var run = try ChunkRun(computation)
    var encodings: [[UInt8]] = []
    while run.next != nil {
      try run.advance()
      encodings.append(try run.bytes())
    }
    // F(100) = 35 4224848179261915075: two limbs, the first of them written.
    let expected = words(100) + [1] + words(1, 35) + words(8, 4_224_848_179_261_915_075)
    #expect(encodings.contains(expected))
    #expect(encodings.dropLast().last == words(100) + [3] + words(0, 0))
    #expect(encodings.last == words(100) + [4])
  }

  @Test("C5 a state of lines is encoded as documented")
  func lines() throws {
    let sequence = FibonacciSequence(try FibonacciRange(from: 92, to: 95)) { _, _ in }
    var run = try ChunkRun(sequence)
    while case .doubling = run.state.phase { try run.advance(atMost: 1) }
    // F(92) and F(91) in one limb each; no byte is written.
    let expected =
      words(92, 95) + [1] + words(92, 0, 0, 0, 0) + words(1, 7_540_113_804_746_346_429)
      + words(1, 4_660_046_610_375_530_309)
    #expect(try run.bytes() == expected)
  }

  @Test("C2 a stream's checksum does not depend on its parts, and changes with every byte")
  func streamChecksum() {
    var generator = SplitMix64(seed: 7)
    let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
    func checksum(_ bytes: [UInt8]) -> StreamChecksum {
      var checksum = StreamChecksum()
      bytes.withUnsafeBytes { checksum.append($0) }
      return checksum
    }
    let whole = checksum(bytes)
    for cut in 0...300 {
      var parts = checksum(Array(bytes[..<cut]))
      Array(bytes[cut...]).withUnsafeBytes { parts.append($0) }
      #expect(parts == whole, "seed 7, cut at \(cut)")
    }
    for position in bytes.indices {
      var damaged = bytes
      damaged[position] ^= 1
      #expect(checksum(damaged) != whole, "seed 7, byte \(position)")
    }
    #expect(checksum([0, 0, 0, 0, 0, 0, 0]) != checksum([]))
  }

  @Test(
    "W2 estimates hold for every state of a run",
    arguments: FibonacciFormat.allCases)
  func estimates(format: FibonacciFormat) throws {
    let index = try FibonacciIndex(300_000)
    let estimate = FibonacciEstimate(index, format: format)
    let computation = try FibonacciComputation.small(300_000, format, block: 2000)
    var run = try ChunkRun(computation)
    while run.next != nil {
      let size = try run.bytes().count
      #expect(size <= run.outlook.checkpointBytes)
      #expect(run.outlook.checkpointBytes <= estimate.checkpointBytes + 8 * 64)
      try run.advance()
    }
    #expect(run.output.count == estimate.outputBytes)
    #expect(estimate.digits == 62_696)
  }

  @Test("W2 output that is not durable yet counts toward the next checkpoint")
  func unsavedOutput() throws {
    let computation = try FibonacciComputation.small(300_000, .decimal, block: 200)
    var run = try ChunkRun(computation)
    func write(atLeast bytes: Int) throws {
      while computation.outputBytes(run.state) < bytes, run.next != nil { try run.advance() }
    }
    try write(atLeast: 20_000)
    let first = computation.outputBytes(run.state)
    let rest = run.outlook.checkpointBytes - first
    #expect(first < 30_000 && rest >= 8 * (62_696 - first) / 19)
    // A checkpoint makes it durable; what follows is not.
    let saved = try run.bytes()
    #expect(run.outlook.checkpointBytes == rest)
    try write(atLeast: 62_697)
    #expect(run.outlook.checkpointBytes == 64 + 62_697 - first)
    // Another process knows it from the checkpoint.
    let again = try FibonacciComputation.small(300_000, .decimal, block: 200)
    let state = try again.state(from: saved, in: run.workspace)
    #expect(again.outlook(of: state).checkpointBytes == rest)
  }

  @Test("W2 what cannot fit is refused with the figure")
  func refused() throws {
    let estimate = FibonacciEstimate(try FibonacciIndex(197_000_000_000), format: .decimal)
    #expect(estimate.memoryBytes > 100_000_000_000 && estimate.digits == 41_170_565_129)
    #expect {
      try estimate.checkFits(memoryAvailable: 8_000_000_000, diskAvailable: nil)
    } throws: { error in
      guard let error = error as? StintError else { return false }
      return error.code == .unavailable && error.message.contains("8.0 GB is available")
    }
    #expect(throws: StintError.self) {
      try estimate.checkFits(memoryAvailable: nil, diskAvailable: 1_000_000)
    }
    try FibonacciEstimate(FibonacciIndex(1000), format: .decimal)
      .checkFits(memoryAvailable: 100_000_000, diskAvailable: 1_000_000)
  }
}
