/// Lets workers with planted faults live a scenario, beside some without, and says who was found
/// out.
package struct SelfCheck: Sendable {
  /// Who lives it.
  package struct Subject: Hashable, Sendable {
    package var name: String
    package var title: String

    /// A worker that does everything right.
    package static let honest = Subject(name: "honest", title: "honest worker")
  }

  /// The trips are announced or at least warned, so that every fault can show.
  package static let scenario: Scenario = {
    var trace = Trace(grant: .drawn(.constant(10)))
    trace.leadSeconds = 2
    var workload = Workload(
      chunk: Distribution(.logNormal(mean: 0.5, sigma: 0.3)), checkpoint: .constant(0.2))
    workload.closingSeconds = 0.001
    var scenario = Scenario(
      name: "selfcheck", title: "Workers with planted faults: each has to be found and named",
      trace: trace, workload: workload)
    scenario.trips = 20
    scenario.strategies = [.stint]
    return scenario
  }()

  package let scenario: Scenario
  package let seed: UInt64
  /// So many trips are kept as a sample.
  package var sampleTrips = 6

  package init(_ scenario: Scenario = SelfCheck.scenario, seed: UInt64) {
    self.scenario = scenario
    self.seed = seed
  }

  /// Lets everybody live the same trips.
  package func result() -> ScenarioResult {
    let run = ScenarioRun(scenario, seed: seed, repeats: 1)
    let draws = run.draws(0)
    let trips = scenario.trace.trips(scenario.trips, draws: draws)
    let work = Work(scenario.workload, draws: draws)
    let honest = [
      live(.honest, run, trips, work) { PlantedWorker(scenario) },
      live(
        Subject(name: StrategyName.stint.rawValue, title: StrategyName.stint.title), run, trips,
        work
      ) { StintWorker(scenario, stagger: draws.unit(.stagger, 0)) },
    ]
    let planted = WorkerFault.allCases.map { fault in
      live(Subject(name: fault.rawValue, title: "planted: " + fault.title), run, trips, work) {
        PlantedWorker(scenario, fault: fault)
      }
    }
    var result = ScenarioResult(
      scenario, trips, strategies: (honest + planted).compactMap { $0 })
    result.goals = Self.judge(result)
    return result
  }

  private func live<Worker: ScenarioWorker>(
    _ subject: Subject, _ run: ScenarioRun, _ trips: [Trip], _ work: Work, _ make: () -> Worker
  ) -> StrategyResult? {
    var observed = ObservedWorker(make())
    let tally = run.live(trips, work, sampleTrips, with: &observed)
    var result = StrategyResult(name: subject.name, title: subject.title, [tally], best: nil)
    result?.findings = Finding.gathered(observed.findings)
    return result
  }

  /// What has to be found, and that nothing else is.
  ///
  /// - Parameter result: Of workers that go by the names of ``Subject``; others count as honest.
  /// - Returns: Two goals for each planted fault, one for each honest worker.
  package static func judge(_ result: ScenarioResult) -> [Goal] {
    result.strategies.flatMap { worker in
      let found = (worker.findings ?? []).map(\.fault)
      guard let planted = WorkerFault(rawValue: worker.name) else {
        return [
          Goal(
            "noFinding", "\(result.name): nothing is found wrong with the \(worker.title)",
            count: found.count)
        ]
      }
      return [
        Goal(
          "faultNamed", "\(result.name): the fault \"\(planted.title)\" is found and named",
          measured: found.contains(planted) ? 1 : 0, limit: 1, sense: .atLeast),
        Goal(
          "noOtherFinding",
          "\(result.name): nothing but \"\(planted.title)\" is found where it was planted",
          count: found.count { $0 != planted }),
      ]
    }
  }

  /// Who was found out, for people.
  package static func render(_ result: ScenarioResult) -> String {
    let width = result.strategies.map(\.title.count).max() ?? 0
    let lines = result.strategies.flatMap { worker -> [String] in
      let name = worker.title + String(repeating: " ", count: width - worker.title.count)
      let blank = String(repeating: " ", count: width)
      let findings = worker.findings ?? []
      guard !findings.isEmpty else { return ["  \(name)  nothing found in \(result.trips) trips"] }
      return findings.enumerated().map { index, finding in
        let trips = "in \(finding.trips) of \(result.trips) trips"
        return
          "  \(index == 0 ? name : blank)  \(finding.fault.title), \(trips): \(finding.sentence)"
      }
    }
    return (["\(result.name): \(result.title)"] + lines).joined(separator: "\n") + "\n"
  }
}
