import StintCore
import StintRuntime
import StintTesting
import Testing

@testable import StintFibonacci

@Suite("Damaged states")
struct DamageTests {
  /// Each distinct state on the way of a small computation: its bytes and the partial output that
  /// it relies on.
  private func states(
    _ computation: FibonacciComputation
  ) throws -> [(bytes: [UInt8], output: [UInt8])] {
    var run = try ChunkRun(computation)
    var list = [(try run.bytes(), run.output)]
    while run.next != nil {
      try run.advance()
      list.append((try run.bytes(), run.output))
    }
    return list
  }

  /// Loads bytes and runs to the end: the result, or nil if they were refused as damaged.
  private func result(
    _ computation: FibonacciComputation, bytes: [UInt8], output: [UInt8]
  ) throws -> [UInt8]? {
    let workspace = MemoryWorkspace()
    workspace.file().bytes = output
    do {
      let state = try computation.state(from: bytes, in: workspace)
      var run = try ChunkRun(computation, from: state, in: workspace)
      while run.next != nil {
        if try !run.advance().isTrial { try run.reload() }
      }
      return run.output
    } catch let error as StintError where error.code == .damaged || error.code == .checkFailed {
      return nil
    }
  }

  @Test(
    "C2 every byte of every state flipped: refused or harmless",
    arguments: [
      (310, FibonacciFormat.decimal, 9, nil), (700, .hex, 64, nil), (700, .raw, 64, nil),
      (95, .digits, 64, nil), (130, .decimal, 64, nil), (190, .decimal, 64, 1),
      (190, .raw, 64, 1), (187, .hex, 64, 1), (188, .decimal, 64, -1),
    ] as [(Int, FibonacciFormat, Int, Int?)])
  func flips(n: Int, format: FibonacciFormat, block: Int, length: Int?) throws {
    // Below zero: in stages.
    let computation = try FibonacciComputation.small(
      n, format, block: block, splitFrom: length.map { abs($0) }, staged: length ?? 0 < 0)
    let right = try computation.uninterrupted()
    var refused = 0
    var harmless = 0
    for (bytes, output) in try states(computation) {
      for position in bytes.indices {
        for mask in [1, 0x80, 0xff] as [UInt8] {
          var damaged = bytes
          damaged[position] ^= mask
          if let result = try result(computation, bytes: damaged, output: output) {
            try #require(result == right, "byte \(position) of \(bytes.count), mask \(mask)")
            harmless += 1
          } else {
            refused += 1
          }
        }
      }
    }
    #expect(refused > harmless)
  }

  @Test(
    "C2 every truncation of every state is refused",
    arguments: [(nil, false), (1, false), (1, true)] as [(Int?, Bool)])
  func truncations(length: Int?, staged: Bool) throws {
    let computation = try FibonacciComputation.small(
      310, block: 9, splitFrom: length, staged: staged)
    for (bytes, output) in try states(computation) {
      let workspace = MemoryWorkspace()
      workspace.file().bytes = output
      for length in bytes.indices {
        #expect(throws: StintError.self, "\(length) of \(bytes.count)") {
          try computation.state(from: Array(bytes[..<length]), in: workspace)
        }
      }
      #expect(throws: StintError.self) {
        try computation.state(from: bytes + [0], in: workspace)
      }
    }
  }

  @Test(
    "C2 a damaged partial file is found when the state is loaded or when the output is checked",
    arguments: [FibonacciFormat.decimal, .hex, .raw])
  func partialFile(format: FibonacciFormat) throws {
    let computation = try FibonacciComputation.small(2000, format, block: 30)
    let right = try computation.uninterrupted()
    for (bytes, output) in try states(computation) where !output.isEmpty {
      for position in stride(from: 0, to: output.count, by: 7) {
        var damaged = output
        damaged[position] ^= 1
        let result = try result(computation, bytes: bytes, output: damaged)
        // Bytes beyond the written part are written again.
        #expect(result == nil || result == right, "byte \(position)")
      }
      if try result(computation, bytes: bytes, output: []) != nil {
        Issue.record("a missing partial file was not noticed")
      }
    }
  }

  @Test("C2 a number that only has the residue of the right one is found before it does harm")
  func residueOnly() throws {
    let computation = try FibonacciComputation.small(5000)
    let modular = DecimalNumber.modular
    var run = try ChunkRun(computation)
    var (short, small) = (0, 0)
    while run.next != nil {
      // The square of one limb may have one or two.
      if case .decimalDoubling(let pair) = run.state.phase,
        pair.current.limbCount > (pair.isHalfway ? 2 : 1)
      {
        func forged(_ current: DecimalNumber) throws -> FibonacciState {
          var forged = pair
          forged.current = current
          let bytes = try computation.bytes(of: FibonacciState(phase: .decimalDoubling(forged)))
          return try computation.state(from: bytes, in: run.workspace)
        }
        let residue = pair.current.residue()
        let error = #expect(throws: StintError.self) { try forged(DecimalNumber(residue)) }
        #expect(error?.code == .damaged)
        short += 1
        // As long as the right one, but less than the number before it.
        let count = pair.current.limbCount
        if pair.remainingBits > 1, pair.previous.limbCount == count,
          pair.previous.limbs[count - 1] > 1
        {
          let top = modular.power(DecimalNumber.radixResidue, count - 1)
          let zeros = [UInt64](repeating: 0, count: count - 2)
          let limbs = [modular.subtract(residue, top)] + zeros + [1]
          var rest = try ChunkRun(
            computation, from: forged(DecimalNumber(limbs: limbs)), in: run.workspace)
          let error = #expect(throws: StintError.self) {
            while rest.next != nil { try rest.advance() }
          }
          #expect(error?.code == .checkFailed)
          small += 1
        }
      }
      try run.advance()
    }
    #expect(short > 5)
    #expect(small > 0)
  }

  @Test("C5 the state of another number or format is refused")
  func otherParameters() throws {
    let one = try FibonacciComputation.small(1000, block: 30)
    for (bytes, output) in try states(one) {
      let workspace = MemoryWorkspace()
      workspace.file().bytes = output
      for other in [
        try FibonacciComputation.small(1001, block: 30), try .small(2000, block: 30),
      ] {
        #expect(throws: StintError.self) { try other.state(from: bytes, in: workspace) }
      }
    }
  }
}
