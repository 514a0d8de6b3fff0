import Testing

@testable import StintScenarios

/// Trips that are small enough to be computed by hand.
enum Worlds {
  static func seconds(_ seconds: Double) -> Nanoseconds { Nanoseconds(seconds: seconds) }

  /// Chunks and checkpoints that always take the same.
  static func workload(chunk: Double = 1, checkpoint: Double = 0.5) -> Workload {
    var workload = Workload(chunk: .constant(chunk), checkpoint: .constant(checkpoint))
    workload.closingSeconds = 0
    return workload
  }

  static func trip(_ grant: Double, lead: Double = 2) -> Trip {
    Trip(grant: seconds(grant), lead: seconds(lead))
  }

  static func live(
    _ worker: some ScenarioWorker, _ trip: Trip, _ workload: Workload = workload()
  ) -> TripAccount {
    var worker = worker
    let work = Work(workload, draws: Draws(seed: 1))
    let world = TripWorld(trip: trip, work: work, from: WorkState(), isRecording: true)
    world.run(&worker)
    return world.account
  }

  static func knowledge(
    _ workload: Workload = workload(), mean: Double = 10, every: Double = 3
  ) -> Knowledge {
    Knowledge(workload: workload, meanTimeBetweenFailures: mean, everySeconds: every)
  }

  /// Expects that the optimum gets what it expects, but for the error of its grid and a bit more.
  @discardableResult
  static func expectAgreement(
    _ result: ScenarioResult, orBy more: Double = 0, _ world: String = ""
  ) throws -> OracleResult {
    let oracle = try #require(result.oracle)
    let got = try #require(result[.oracle]?.savedShare)
    let error = oracle.errorPoints / 100 + more
    #expect(got.low - error <= oracle.expectedSavedShare, "\(world): \(got) \(oracle)")
    #expect(oracle.expectedSavedShare <= got.high + error, "\(world): \(got) \(oracle)")
    return oracle
  }

  static func scenario(
    grant: Double = 10, workload: Workload = workload(), trips: Int = 20
  ) -> Scenario {
    var scenario = Scenario(
      name: "tiny", title: "", trace: Trace(grant: .drawn(.constant(grant))), workload: workload)
    scenario.trips = trips
    return scenario
  }
}
