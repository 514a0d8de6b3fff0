public import Stint
import StintCore

/// Expects that a computation gives the same result however its run is cut (W8).
///
/// First the computation runs without a worker: once as a whole, once with an end of a chunk at
/// every place, of which it tries a thousand at most, then in chunks of all sizes, which a seed
/// decides. After some of them a checkpoint is made and another process goes on, after
/// others the process is killed or power fails. Then a worker runs it through random histories of
/// cuts: interruptions, suspensions, expiry, revocation, denial, kills, power losses, each at any
/// time and at any call of the file system.
///
/// After each run the encoded final state, the partial files but for scratch, what was published,
/// and the output must equal those of the first run, bit for bit. It is also looked
///
/// - after each chunk, whether it changed the state that it started from (W14), whether what is
///   decoded equals the state that was encoded, if states are `Equatable`, whether it cost more
///   than it was asked for or nothing, and whether the progress fell;
/// - at the end, whether the costs add up to what the outlook said, whether `finish` gives the same
///   result when it is called again after a kill or a power loss at any of its calls of the file
///   system, and whether what it wrote to partial files or
///   published is there after a power loss (W9).
///
/// ```swift
/// @Test @MainActor func cuts() throws {
///   try expectSameResult(of: MonteCarloPi(darts: 100_000, seed: 1))
/// }
/// ```
///
/// - Parameters:
///   - computation: What to run, in a small size; it runs about twice as often as the conditions
///     say.
///   - kinds: What cuts it.
///   - conditions: How often, how long, from which seed.
///   - output: What was delivered, if neither into partial files nor published: asked for after
///     every call of `finish`.
/// - Throws: ``CheckFailure`` with the seed and the shortest history that was found; also if all
///   runs were cut alike, because then nothing was tested.
@MainActor
public func expectSameResult<Computation: ChunkedComputation>(
  of computation: Computation, underAnyCut kinds: [Cut.Kind] = Cut.Kind.allCases,
  conditions: CheckConditions = CheckConditions(), output: () throws -> [UInt8] = { [] }
) throws {
  precondition(!kinds.isEmpty, "there must be a kind of cut")
  try withoutActuallyEscaping(output) { output in
    let expected = try expectSameResultOfDirectRuns(
      of: computation, underAnyCut: kinds, conditions, output: output)
    try expectSameResultOfLives(
      of: computation, underAnyCut: kinds, conditions, expected: expected, output: output)
  }
}

/// Runs the computation without a worker.
///
/// - Returns: The product of the uninterrupted run.
@MainActor
private func expectSameResultOfDirectRuns<Computation: ChunkedComputation>(
  of computation: Computation, underAnyCut kinds: [Cut.Kind], _ conditions: CheckConditions,
  output: @escaping () throws -> [UInt8]
) throws -> RunProduct {
  var runs = DirectRun(computation, output: output)
  var expected: RunProduct?
  // Calls of finish are many, and the same after every run.
  let faults =
    (kinds.contains(.killInCall) ? [FileFault.kill] : [])
    + (kinds.contains(.powerLossInCall) ? [.powerLoss] : [])

  /// What is wrong with the run of a plan, or nil.
  func finding(_ plan: CutPlan) -> String? {
    do {
      let product = try runs.run(plan, faults: expected == nil ? faults : [])
      let difference = expected.flatMap {
        product.difference(from: $0, except: conditions.scratchFiles)
      }
      if expected == nil { expected = product }
      return difference
    } catch let violation as DirectRun<Computation>.Violation {
      return violation.finding
    } catch {
      return "The run ended with an error: \(error)"
    }
  }

  var seeds = SeededGenerator(seed: conditions.seed)
  let plans =
    [CutPlan(steps: []), .fine(kinds), .sweep(smallest: try runs.smallestShare(), &seeds)]
    + (0..<conditions.histories).map { _ in
      var generator = seeds.split()
      return .random(kinds, &generator)
    }
  for plan in plans {
    guard let first = finding(plan) else { continue }
    var shortest = plan
    shortest.steps = shrunk(plan.steps, attempts: 60) { steps in
      finding(CutPlan(steps: steps, looksAtStates: plan.looksAtStates)) != nil
    }
    for index in shortest.steps.indices where shortest.steps[index].givesUpFirst {
      var simpler = shortest
      simpler.steps[index].givesUpFirst = false
      if finding(simpler) != nil { shortest = simpler }
    }
    throw CheckFailure(
      finding(shortest) ?? first, seed: conditions.seed,
      steps: shortest.steps.map(\.description))
  }
  guard let expected else { preconditionFailure("The uninterrupted run is the first.") }
  guard runs.places.count > 1 || conditions.allowsUncutRuns else {
    let places = runs.places.isEmpty ? "no place" : "one place"
    throw CheckFailure(
      "W8: nothing was tested, because every run was cut alike: a chunk ended at \(places) before "
        + "the end. Give the computation a larger size or its outlook a smaller smallest chunk; "
        + "if it cannot be cut elsewhere, set allowsUncutRuns in the conditions.",
      seed: conditions.seed)
  }
  return expected
}

/// Runs the computation by a worker, through random histories.
@MainActor
private func expectSameResultOfLives<Computation: ChunkedComputation>(
  of computation: Computation, underAnyCut kinds: [Cut.Kind], _ conditions: CheckConditions,
  expected: RunProduct, output: () throws -> [UInt8]
) throws {
  let costs = try VirtualCosts(for: computation, conditions)

  try conditions.expectNoFailure(whose: "W8: the same history fails") { generator in
    (0..<Int.random(in: 1...6, using: &generator)).map { _ in
      Cut(kinds, within: conditions.wholeTime / 3, &generator)
    }
  } in: { cuts, seed in
    let life = WorkerLife(computation, conditions, costs: costs, seed: seed)
    let finding: String
    do {
      let product = try life.live(through: cuts, output: output)
      let difference = product.difference(from: expected, except: conditions.scratchFiles)
      guard let difference else { return nil }
      finding = difference
    } catch let violation as WorkerLife<Computation>.Violation {
      finding = violation.finding
    } catch {
      finding = "The life ended with an error: \(error)"
    }
    // What differs without a cut differs by the noise of the costs: its chunks end elsewhere.
    let hint = cuts.isEmpty ? " It takes no cut, only chunks that end elsewhere." : ""
    return CheckFailure(
      finding + hint, seed: conditions.seed, steps: cuts.map(\.description),
      history: life.history)
  }
}

extension VirtualCosts {
  /// Costs by which the whole of a computation takes about the time that the conditions give it.
  init<Computation: ChunkedComputation>(
    for computation: Computation, _ conditions: CheckConditions
  ) throws {
    self.init(seed: conditions.seed)
    let job = try Job(observing: computation, on: FaultyFileSystem())
    let outlook = computation.outlook(of: try computation.start(in: job.workspace))
    if outlook.remainingCost > 0 {
      secondsPerUnit = conditions.wholeTime.inSeconds / outlook.remainingCost
    }
    outlierProbability = 0.01
  }
}
