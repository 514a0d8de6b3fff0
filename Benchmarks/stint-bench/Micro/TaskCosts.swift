import Stint
import StintCore

/// What begin, end and reading the remaining time cost the calling thread.
struct TaskCosts {
  /// Where the calls are made.
  private enum Place: String, CaseIterable {
    case main = "Main", thread = "Thread"

    var words: String { self == .main ? "main thread" : "another thread" }
  }

  private enum Subject: CaseIterable {
    case call, plain
  }

  /// One clock reading is shared by so many calls.
  private static let batch = 1_000

  let options: BenchOptions

  private var batches: Int { options.quick ? 20 : 1_000 }

  /// Begin + end of a task with a name and a handler, active and in the background.
  func begins() throws -> [Figure] {
    let active = try Self.makeApplication(background: false)
    let background = try Self.makeApplication(background: true)
    let gateways = [("Active", "active", active), ("Background", "in the background", background)]
    return gateways.flatMap { name, words, application in
      Place.allCases.flatMap { place in
        figures("beginEnd\(name)", "begin + end, \(words)", gate: 15, goal: 8, at: place) {
          let task = application.beginBackgroundTask(withName: "bench") {}
          application.endBackgroundTask(task)
        }
      }
    }
  }

  /// Reading `backgroundTimeRemaining` while it is finite.
  func reads() throws -> [Figure] {
    let application = try Self.makeApplication(background: true)
    return Place.allCases.flatMap { place in
      figures("remaining", "reading the remaining time", gate: 2, goal: 1.6, at: place) {
        Sink.take(application.backgroundTimeRemaining)
      }
    }
  }

  /// What a call costs, as a ratio to plain calls and in nanoseconds; only the ratio is judged.
  private func figures(
    _ name: String, _ words: String, gate: Double, goal: Double, at place: Place,
    _ body: @escaping @Sendable () -> Void
  ) -> [Figure] {
    let times = times(place, body)
    guard let calls = times[.call], let plains = times[.plain] else { return [] }
    let ratios = Sample(zip(calls, plains).map { $0 / $1 })
    let (call, plain) = (Sample(calls), (Sample(plains).median * 10).rounded() / 10)
    return [
      Figure(
        "\(name)\(place.rawValue)Ratio", "\(words), \(place.words)", .ratio, ratios.median,
        gate: gate, goal: goal, of: ratios,
        note: "over \(plain) ns for a reading of the clock and a mutex in C"),
      Figure(
        "\(name)\(place.rawValue)Nanoseconds", "the same", .nanoseconds, call.median, of: call),
    ]
  }

  /// The times of one call and of one plain one, batch by batch, in turn.
  private func times(
    _ place: Place, _ body: @escaping @Sendable () -> Void
  ) -> [Subject: [Double]] {
    let (count, plain) = (batches, PlainCalls())
    let measure: @Sendable () -> [Subject: [Double]] = {
      Interleaving.run(Subject.allCases, rounds: count) { subject in
        let began = BootClock.now
        switch subject {
        case .call: for _ in 0..<Self.batch { body() }
        case .plain: plain.run(Self.batch)
        }
        return Double(began.duration(to: BootClock.now).nanoseconds) / Double(Self.batch)
      }
    }
    switch place {
    case .main:
      return measure()
    case .thread:
      let result = Protected<[Subject: [Double]]>([:])
      let gate = Rendezvous(parties: 1)
      let thread = SerialThread(name: "bench-calls")
      thread.enqueue {
        gate.meet {
          let times = measure()
          result.withLock { $0 = times }
        }
      }
      _ = gate.wait()
      return result.withLock { $0 }
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
