package import StintCore
import StintReport

/// What is going to be run on the real clock, and how long that takes.
package struct RealPlan: Sendable {
  /// A run that takes longer has to be asked for.
  package static let mostSeconds = 600.0
  /// What a process costs beside its budget.
  private static let startSeconds = 0.1

  /// With its times as they will be.
  package let scenario: Scenario
  package let seed: UInt64
  package let repeats: Int
  /// How many workers live it.
  package let workers: Int
  /// By which all times were multiplied.
  package let scale: Double

  /// Plans a run; without a scale, one that is too long is refused.
  ///
  /// - Throws: ``StintError`` with the code `usage` if it takes too long, or cannot be done on a
  /// real clock.
  package init(
    _ scenario: Scenario, seed: UInt64, repeats: Int, grants: Int, workers: Int, scale: Double?
  ) throws(StintError) {
    var scenario = scenario
    scenario.trips = grants
    if let standstill = scenario.trace.standstill, !standstill.counts {
      throw StintError(
        .usage,
        "\(scenario.name) suspends the machine and lets the budget wait meanwhile; with --real the "
          + "processes are stopped and the boot-time clock, which the deadline is on, goes on. Run it in "
          + "virtual time.")
    }
    guard scenario.trace.moves == nil else {
      throw StintError(
        .usage,
        "\(scenario.name) moves deadlines, which --real cannot do. Run it in virtual time.")
    }
    guard scenario.trace.isAnnouncedTruly else {
      throw StintError(
        .usage,
        "\(scenario.name) announces other ends than come, which --real cannot do. Run it in virtual time."
      )
    }
    self.scale = scale ?? 1
    self.scenario = scenario.scaled(by: self.scale)
    self.seed = seed
    self.repeats = repeats
    self.workers = workers
    if scale == nil, expectedSeconds > Self.mostSeconds {
      let share = Self.mostSeconds / expectedSeconds
      let digits = NumberText.fixed(max(0.001, (share * 1_000).rounded(.down) / 1_000), decimals: 3)
      throw StintError(
        .usage,
        "\(scenario.name) would take \(Self.words(expectedSeconds)) on the real clock, and more than "
          + "\(Self.words(Self.mostSeconds)) has to be asked for; give --scale \(digits) to shorten all "
          + "its times, --scale 1 to wait, or fewer --grants.")
    }
  }

  package func trips(_ number: Int) -> [Trip] {
    scenario.trace.trips(scenario.trips, draws: draws(number))
  }

  package func draws(_ number: Int) -> Draws { Draws(seed: seed).repetition(number) }

  /// What the rules of the literature are given, as in virtual time.
  package var knowledge: Knowledge {
    Knowledge(scenario, trips: (0..<repeats).flatMap(trips))
  }

  /// How long it takes at most: who ends earlier is not waited for.
  package var expectedSeconds: Double {
    let seconds = (0..<repeats).flatMap(trips).reduce(0) { sum, trip in
      sum + (trip.isDenied ? 0 : trip.enforced.seconds + Self.startSeconds)
    }
    return seconds * Double(workers)
  }

  /// The scenario's part of the report; `lived` is what was granted of it, less than all if a job
  /// was finished before.
  package func result(_ strategies: [StrategyResult], lived: Nanoseconds? = nil) -> ScenarioResult {
    ScenarioResult(
      scenario, (0..<repeats).flatMap(trips), lived: lived, strategies: strategies)
  }

  /// What is said before it begins.
  package var announcement: String {
    let scaled =
      scale == 1 ? "" : ", all times multiplied by \(NumberText.fixed(scale, decimals: 3))"
    return "\(scenario.name): \(repeats * scenario.trips * workers) budgets on the real clock, "
      + "at most \(Self.words(expectedSeconds))\(scaled)"
  }

  /// A time for people.
  package static func words(_ seconds: Double) -> String {
    if seconds < 120 { return NumberText.fixed(seconds, decimals: 1) + " s" }
    if seconds < 7200 { return NumberText.fixed(seconds / 60, decimals: 1) + " min" }
    return NumberText.fixed(seconds / 3600, decimals: 1) + " h"
  }
}

extension Scenario {
  /// The same with all its times multiplied.
  package func scaled(by factor: Double) -> Scenario {
    guard factor != 1 else { return self }
    var scaled = self
    scaled.trace = trace.scaled(by: factor)
    scaled.workload.chunk = workload.chunk.scaled(by: factor)
    scaled.workload.checkpoint = workload.checkpoint.scaled(by: factor)
    scaled.workload.closingSeconds *= factor
    scaled.workload.checkpointGrowthPerHour /= factor
    scaled.workload.restartSeconds *= factor
    scaled.givenWorkSeconds = givenWorkSeconds.map { $0 * factor }
    scaled.givenEverySeconds = givenEverySeconds.map { $0 * factor }
    return scaled
  }
}

extension Trace {
  fileprivate func scaled(by factor: Double) -> Trace {
    var scaled = self
    switch grant {
    case .drawn(let distribution): scaled.grant = .drawn(distribution.scaled(by: factor))
    case .policy(var policy):
      policy.grant = policy.grant.map { Duration(clampingSeconds: $0.inSeconds * factor) }
      policy.lead = Duration(clampingSeconds: policy.lead.inSeconds * factor)
      scaled.grant = .policy(policy)
    case .listed(let name, let trips):
      scaled.grant = .listed(
        name: name,
        trips.map {
          ListedTrip(
            grantSeconds: $0.grantSeconds * factor,
            warningSeconds: $0.warningSeconds.map { $0 * factor },
            announcement: $0.announcement.scaled(by: factor))
        })
    }
    scaled.leadSeconds = leadSeconds.map { $0 * factor }
    scaled.warning?.before = warning?.before.scaled(by: factor) ?? .constant(0)
    scaled.enforcedLate = enforcedLate.scaled(by: factor)
    scaled.revocation?.after = revocation?.after.scaled(by: factor) ?? .constant(0)
    scaled.revocation?.leadSeconds *= factor
    scaled.moves?.after = moves?.after.scaled(by: factor) ?? .constant(0)
    scaled.moves?.by = moves?.by.scaled(by: factor) ?? .constant(0)
    scaled.standstill?.length = standstill?.length.scaled(by: factor) ?? .constant(0)
    return scaled
  }
}

extension Trace.Announcement {
  fileprivate func scaled(by factor: Double) -> Trace.Announcement {
    if case .seconds(let seconds) = self { .seconds(seconds * factor) } else { self }
  }
}

extension Distribution {
  /// The same with all its times multiplied.
  package func scaled(by factor: Double) -> Distribution {
    let shape: Shape =
      switch shape {
      case .constant(let seconds): .constant(seconds * factor)
      case .uniform(let from, let to): .uniform(from: from * factor, to: to * factor)
      case .logNormal(let mean, let sigma): .logNormal(mean: mean * factor, sigma: sigma)
      case .pareto(let mean, let exponent): .pareto(mean: mean * factor, shape: exponent)
      case .exponential(let mean): .exponential(mean: mean * factor)
      case .mixture(let parts):
        .mixture(parts.map { Part(weight: $0.weight, $0.distribution.scaled(by: factor)) })
      case .listed(let listing):
        .listed(
          Listing(
            file: listing.file, column: listing.column, values: listing.values.map { $0 * factor }))
      }
    return Distribution(shape, most: most * factor)
  }
}
