import Stint
import StintCommands
import StintCore
import StintScenarios

/// Runs a scenario on the real clock, with real processes and a real disk.
struct RealBenchmark {
  let seed: UInt64
  let repeats: Int
  let samples: Int
  let directory: String?
  let signals: SignalDescriptor
  let say: (String) -> Void

  /// Lets every worker live the planned trips, one worker after the other in each repeat.
  func result(_ plan: RealPlan, _ workers: [RealWorker]) throws -> ScenarioResult {
    say(plan.announcement + "\n")
    var records: [RealWorker: [RealRecord]] = [:]
    for repetition in 0..<repeats {
      for worker in workers {
        var life = RealLife(
          worker: worker, plan: plan, repetition: repetition, signals: signals,
          samples: repetition == 0 ? samples : 0, directory: directory)
        life.finished = { trip, seconds in
          let after = RealPlan.words(seconds)
          say(
            "\(worker.title) was finished in budget \(trip) of \(plan.scenario.trips), after \(after) of "
              + "it; what was granted counts until then.\n")
        }
        records[worker, default: []].append(try life.record())
      }
    }
    let lived = records.values.map { $0.reduce(0) { $0 + $1.tally.usable } }.max()
    return plan.result(
      workers.compactMap { worker in
        RealRecord.result(name: worker.name, title: worker.title, records[worker] ?? [])
      }, lived: lived)
  }
}
