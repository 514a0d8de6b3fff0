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
        let life = RealLife(
          worker: worker, plan: plan, repetition: repetition, signals: signals,
          samples: repetition == 0 ? samples : 0, directory: directory)
        records[worker, default: []].append(try life.record())
      }
    }
    return plan.result(
      workers.compactMap { worker in
        RealRecord.result(name: worker.name, title: worker.title, records[worker] ?? [])
      })
  }
}
