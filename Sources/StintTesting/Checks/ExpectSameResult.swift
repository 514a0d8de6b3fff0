public import Stint
import StintCore

/// Expects that a computation gives the same result however its run is cut (W8).
///
/// The computation runs once without disturbance, then through random histories of cuts:
/// interruptions, suspensions, expiry, revocation, denial, kills, power losses, each at any time
/// and at any call of the file system. After each the encoded final state, the partial files but
/// for scratch, and the output must equal those of the first run, bit for bit. It is also looked
/// for chunks that change the state they start from (W14).
///
/// ```swift
/// @Test @MainActor func cuts() throws {
///   try expectSameResult(of: MonteCarloPi(darts: 100_000, seed: 1))
/// }
/// ```
///
/// - Parameters:
///   - computation: What to run, in a small size; it runs as often as the conditions say.
///   - kinds: What cuts it.
///   - conditions: How often, how long, from which seed.
///   - output: What was delivered, if not into partial files: asked for at the end of every run.
/// - Throws: ``CheckFailure`` with the seed and the shortest history that was found.
@MainActor
public func expectSameResult<Computation: ChunkedComputation>(
  of computation: Computation, underAnyCut kinds: [Cut.Kind] = Cut.Kind.allCases,
  conditions: CheckConditions = CheckConditions(), output: () throws -> [UInt8] = { [] }
) throws {
  precondition(!kinds.isEmpty, "there must be a kind of cut")
  let costs = try VirtualCosts(for: computation, conditions)
  let whole = WorkerLife(computation, conditions, costs: costs, seed: conditions.seed)
  let expected: WorkerLife<Computation>.Product
  do {
    expected = try whole.live(through: [], output: output)
  } catch let violation as WorkerLife<Computation>.Violation {
    throw CheckFailure(
      "\(violation.finding) It takes no cut.", seed: conditions.seed, history: whole.history)
  }

  /// What is wrong with a history, or nil.
  func failure(_ cuts: [Cut], seed: UInt64) -> (finding: String, history: String)? {
    let life = WorkerLife(computation, conditions, costs: costs, seed: seed)
    do {
      let product = try life.live(through: cuts, output: output)
      guard
        let difference = product.difference(from: expected, except: conditions.scratchFiles)
      else { return nil }
      return (difference, life.history)
    } catch let violation as WorkerLife<Computation>.Violation {
      return (violation.finding, life.history)
    } catch {
      return ("The life ended with an error: \(error)", life.history)
    }
  }

  var seeds = SeededGenerator(seed: conditions.seed)
  for _ in 0..<conditions.histories {
    let seed = seeds.next()
    var generator = SeededGenerator(seed: seed)
    let cuts = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
      Cut(kinds, within: conditions.wholeTime / 3, &generator)
    }
    guard failure(cuts, seed: seed) != nil else { continue }
    let shortest = shrunk(cuts, attempts: 60) { failure($0, seed: seed) != nil }
    guard let found = failure(shortest, seed: seed) else {
      throw CheckFailure(
        "W8: the same history fails once and not again: something that no seed decides has a part.",
        seed: conditions.seed, steps: cuts.map(\.description))
    }
    // What differs without a cut differs by the noise of the costs: its chunks end elsewhere.
    let hint = shortest.isEmpty ? " It takes no cut, only chunks that end elsewhere." : ""
    throw CheckFailure(
      found.finding + hint, seed: conditions.seed, steps: shortest.map(\.description),
      history: found.history)
  }
}

extension WorkerLife.Product {
  /// How this product differs from the uninterrupted run's, or nil.
  fileprivate func difference(from expected: Self, except scratchFiles: Set<String>) -> String? {
    if finalState != expected.finalState {
      return "W8: the final state differs from that of the uninterrupted run"
        + Self.place(finalState, expected.finalState)
    }
    for name in Set(files.keys).union(expected.files.keys).subtracting(scratchFiles).sorted()
    where files[name] != expected.files[name] {
      return "W8: the partial file \(name) differs from that of the uninterrupted run"
        + Self.place(files[name] ?? [], expected.files[name] ?? [])
    }
    if output != expected.output {
      return "W8: the output differs from that of the uninterrupted run"
        + Self.place(output, expected.output)
    }
    return nil
  }

  private static func place(_ found: [UInt8], _ expected: [UInt8]) -> String {
    let first = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    if let first { return " at byte \(first)." }
    return " in length: \(found.count) bytes in place of \(expected.count)."
  }
}

extension VirtualCosts {
  /// Costs by which the whole of a computation takes about the time that the conditions give it.
  init<Computation: ChunkedComputation>(
    for computation: Computation, _ conditions: CheckConditions
  ) throws {
    self.init(seed: conditions.seed)
    let job = try Job(of: computation, on: FaultyFileSystem())
    let outlook = computation.outlook(of: try computation.start(in: job.workspace))
    if outlook.remainingCost > 0 {
      secondsPerUnit = conditions.wholeTime.inSeconds / outlook.remainingCost
    }
    outlierProbability = 0.01
  }
}
