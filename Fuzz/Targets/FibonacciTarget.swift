import StintCore
import StintRuntime

@testable import StintFibonacci

/// The states of the Fibonacci computations.
///
/// The input: a byte that chooses the computation, two bytes (little-endian) for the length of the
/// partial output, so many bytes of partial output, and then the payload.
enum FibonacciTarget {
  /// Small ones whose states take every shape: with and without products in pieces or stages, in
  /// each format, and a sequence.
  static let numbers: [FibonacciComputation] = [
    small(310, .decimal, block: 9), small(95, .decimal, block: 64), small(700, .hex, block: 64),
    small(700, .raw, block: 64), small(95, .digits, block: 64), small(0, .decimal, block: 64),
    small(311, .decimal, block: 64, staged: true),
  ]
  static let sequences: [FibonacciSequence] = [sequence(0, 12), sequence(180, 190)]
  static let choices = numbers.count + sequences.count

  // Every integer is bounded by n, so the sum of a state is too; reading output takes pieces of its
  // length.
  private static let allowance = Allowance(
    peakBytes: (fixed: 1 << 21, perByte: 32), totalBytes: (fixed: 1 << 22, perByte: 128))

  /// A place for partial output, which no state may make large.
  static func workspace() -> MemoryWorkspace { MemoryWorkspace(mostBytes: 1 << 20) }

  static func examine(_ input: [UInt8]) {
    guard input.count >= 3, Int(input[0]) < choices else { return }
    let length = Int(input[1]) | Int(input[2]) << 8
    let output = Array(input.dropFirst(3).prefix(length))
    let payload = Array(input.dropFirst(3 + output.count))
    let choice = Int(input[0])
    if choice < numbers.count {
      examine(numbers[choice], payload: payload, output: output, input: input)
    } else {
      examine(sequences[choice - numbers.count], payload: payload, output: output, input: input)
    }
  }

  private static func examine<Computation: ChunkedComputation>(
    _ computation: Computation, payload: [UInt8], output: [UInt8], input: [UInt8]
  ) {
    let workspace = workspace()
    workspace.file().bytes = output
    let state = allowance.accepted(input) {
      decoded(payload, by: computation, in: workspace)
    }
    guard let state else { return }
    require(workspace.file().bytes == output, "decoding changed the partial output")

    // The encoding is canonical: the bytes come out as they went in.
    var bytes = computation.bytes(of: state)
    if Plant.spoils { bytes[0] ^= 1 }
    require(bytes == payload, "the state is not encoded as it was read")

    let whole = honestRun(of: computation)
    let result = finished(state, of: computation, in: workspace)
    guard let result, result != whole.result else { return }
    // A sequence checks its end against a checksum in the state itself. Whoever invents both state
    // and output can make them agree; that one of the two was damaged has to be noticed.
    let isOwnWitness = computation is FibonacciSequence && payload[16] >= 2
    // A number that is written is compared modulo 2^61 - 1, and a fuzzer that sees the comparison
    // solves it. What it makes must at least solve it.
    if let number = computation as? FibonacciComputation, payload[8] >= 3, number.format != .digits
    {
      let isSame = residue(result, number.format) == residue(whole.result, number.format)
      return require(isSame, "an output of another residue was accepted")
    }
    require(
      isOwnWitness && !whole.payloads.contains(payload),
      "a state that was accepted gave \(String(decoding: result, as: UTF8.self))")
  }

  /// The value of an output modulo 2^61 - 1, by plain arithmetic.
  private static func residue(_ output: [UInt8], _ format: FibonacciFormat) -> UInt64 {
    let modulus: UInt64 = (1 << 61) - 1
    var digits = output
    var base: UInt64 = 256
    switch format {
    case .raw: digits.reverse()
    case .hex, .decimal, .digits:
      digits.removeLast()
      digits = digits.map { $0 <= UInt8(ascii: "9") ? $0 &- 48 : $0 &- 87 }
      base = format == .hex ? 16 : 10
    }
    return digits.reduce(0) { value, digit in
      let product = value.multipliedFullWidth(by: base)
      let rest = modulus.dividingFullWidth((product.high, product.low)).remainder
      return (rest + UInt64(digit)) % modulus
    }
  }

  private static func decoded<Computation: ChunkedComputation>(
    _ payload: [UInt8], by computation: Computation, in workspace: MemoryWorkspace
  ) -> Computation.State? {
    do {
      return try payload.withUnsafeBytes { try computation.decode($0, in: workspace) }
    } catch let error as StintError {
      require(error.code == .damaged, "a bad state is no \(error.code): \(error)")
      Plant.rare(error.message.hasSuffix("1 bytes too many."))
      return nil
    } catch {
      fatalError("a bad state gave \(error)")
    }
  }

  /// The output at the end, or nil if a check refused it on the way.
  ///
  /// The states are small, so a number of chunks that no right state needs is a computation that
  /// never ends.
  private static func finished<Computation: ChunkedComputation>(
    _ state: Computation.State, of computation: Computation, in workspace: MemoryWorkspace,
    _ visit: (Computation.State) -> Void = { _ in }
  ) -> [UInt8]? {
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace)
    var state = state
    do {
      for _ in 0..<10_000 {
        visit(state)
        guard let next = computation.outlook(of: state).next else {
          try computation.finish(state, in: workspace)
          return workspace.file().bytes
        }
        guard let chunk = try computation.run(from: state, atMost: next.smallest, in: context)
        else { fatalError("a chunk that nobody stopped gave nothing") }
        state = chunk.state
      }
    } catch let error as StintError {
      require([.damaged, .checkFailed].contains(error.code), "a bad state is no \(error.code)")
      return nil
    } catch {
      fatalError("a bad state gave \(error)")
    }
    fatalError("the computation does not end")
  }

  /// The result of the uninterrupted computation, and every state on the way.
  private struct HonestRun {
    var result: [UInt8]
    var payloads: Set<[UInt8]> = []
  }

  private static func honestRun<Computation: ChunkedComputation>(
    of computation: Computation
  ) -> HonestRun {
    let key = Computation.kind + computation.parameters.canonicalText
    if let known = honestRuns[key] { return known }
    var payloads: Set<[UInt8]> = []
    let workspace = workspace()
    let start = needed("no start") { try computation.start(in: workspace) }
    let result = finished(start, of: computation, in: workspace) {
      payloads.insert(computation.bytes(of: $0))
    }
    guard let result else { fatalError("the uninterrupted computation failed its own check") }
    let run = HonestRun(result: result, payloads: payloads)
    honestRuns[key] = run
    return run
  }

  // The driver calls from one thread.
  nonisolated(unsafe) private static var honestRuns: [String: HonestRun] = [:]

  private static func small(
    _ n: Int, _ format: FibonacciFormat, block: Int, staged: Bool = false
  ) -> FibonacciComputation {
    FibonacciComputation(
      needed("\(n) is out of range") { try FibonacciIndex(n) }, format: format, threads: 1,
      pieceLimbs: max(block / DecimalNumber.limbDigits, 1),
      splitting: Splitting(leastLength: 2, staged: staged)
    ) { _, _ in }
  }

  private static func sequence(_ first: Int, _ last: Int) -> FibonacciSequence {
    let range = needed("no range") { try FibonacciRange(from: first, to: last) }
    return FibonacciSequence(range) { _, _ in }
  }
}
