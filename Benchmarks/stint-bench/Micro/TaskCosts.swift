import Stint
import StintCore

/// What begin, end and reading the remaining time cost the calling thread.
struct TaskCosts {
  /// Where the calls are made.
  private enum Place: String, CaseIterable {
    case main = "Main", thread = "Thread"

    var words: String { self == .main ? "main thread" : "another thread" }
  }

  /// One clock reading is shared by so many calls.
  private static let batch = 1_000

  let options: BenchOptions

  private var batches: Int { options.quick ? 20 : 1_000 }

  /// Begin + end of a task with a name and a handler, active and in the background.
  func begins() throws -> [Figure] {
    let active = try Self.makeApplication(background: false)
    let background = try Self.makeApplication(background: true)
    @Sendable func once(_ application: Application) {
      let task = application.beginBackgroundTask(withName: "bench") {}
      application.endBackgroundTask(task)
    }
    let gateways = [("Active", "active", active), ("Background", "in the background", background)]
    return gateways.flatMap { name, words, application in
      Place.allCases.map { place in
        let sample = samples(place) { once(application) }
        return Figure(
          "beginEnd\(name)\(place.rawValue)Nanoseconds",
          "begin + end, \(words), \(place.words)", .nanoseconds, sample.median, gate: 400,
          goal: 200, of: sample)
      }
    }
  }

  /// Reading `backgroundTimeRemaining` while it is finite.
  func reads() throws -> [Figure] {
    let application = try Self.makeApplication(background: true)
    return Place.allCases.map { place in
      let sample = samples(place) { Sink.take(application.backgroundTimeRemaining) }
      return Figure(
        "remaining\(place.rawValue)Nanoseconds", "reading the remaining time, \(place.words)",
        .nanoseconds, sample.median, gate: 60, goal: 45, of: sample)
    }
  }

  /// The time of one call, batch by batch.
  private func samples(_ place: Place, _ body: @escaping @Sendable () -> Void) -> Sample {
    let count = batches
    let measure: @Sendable () -> [Double] = {
      (0..<count).map { _ in
        let began = BootClock.now
        for _ in 0..<Self.batch { body() }
        return Double(began.duration(to: BootClock.now).nanoseconds) / Double(Self.batch)
      }
    }
    switch place {
    case .main:
      return Sample(measure())
    case .thread:
      let result = Protected<[Double]>([])
      let gate = Rendezvous(parties: 1)
      let thread = SerialThread(name: "bench-calls")
      thread.enqueue {
        gate.meet {
          let times = measure()
          result.withLock { $0 = times }
        }
      }
      _ = gate.wait()
      return Sample(result.withLock { $0 })
    }
  }

  /// In the background one task stays open, or the application would be suspended at the first end.
  private static func makeApplication(background: Bool) throws -> Application {
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { _ in }
    var policy = SystemPolicy.commandLine
    if background { policy = policy.withBudget(.seconds(3600)) }
    let application = Application(system: try InProcessSystem(policy: policy, hooks: hooks))
    application.launch()
    if background {
      _ = application.beginBackgroundTask(withName: "holder") {}
      application.enterBackground()
    }
    return application
  }
}
