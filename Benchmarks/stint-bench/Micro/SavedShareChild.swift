import Dispatch
import Stint
import StintCore

/// A process that works under a budget until it is killed.
struct SavedShareChild {
  let page: Int32
  let budget: Duration
  let chunkIterations: Int
  let checkpointBytes: Int
  let directory: String
}

extension SavedShareChild: BenchChild {
  static let name = "worker"
  var mostSeconds: Int { Int(budget.inSeconds) + 30 }

  var words: [String] {
    [Int(page), Int(budget.nanoseconds), chunkIterations, checkpointBytes].map(String.init)
      + [directory]
  }

  init?(words: [String]) {
    guard words.count == 5, let page = Int32(words[0]), let budget = Int64(words[1]),
      let chunkIterations = Int(words[2]), let checkpointBytes = Int(words[3])
    else { return nil }
    self.init(
      page: page, budget: .nanoseconds(budget), chunkIterations: chunkIterations,
      checkpointBytes: checkpointBytes, directory: words[4])
  }

  /// What it computes: chunks of one size, far more of them than fit.
  var computation: SpinComputation {
    let cost = Double(chunkIterations)
    return SpinComputation(
      totalIterations: chunkIterations * 100_000,
      chunks: Outlook.ChunkRange(smallest: cost, largest: cost),
      ballast: Ballast(count: checkpointBytes))
  }

  var jobOptions: Job.Options {
    var options = Job.Options()
    options.jobsDirectory = directory
    return options
  }

  /// Registers, enters the background and works; the trip's clock began with `main`.
  func play(launchedAt: Instant) throws -> Never {
    let page = try SharedPage(descriptor: page)
    let system = try InProcessSystem(
      policy: .commandLine.withBudget(budget), termination: .terminate)
    let application = Application(system: system)
    application.launch()
    let holder = application.beginBackgroundTask(withName: "loading") {}
    application.driver.resignActive()
    application.driver.enterBackground(since: launchedAt, granting: budget)
    page[.deadline] = application.driver.usableTimeEnd?.nanoseconds ?? 0
    let computation = computation
    var options = WorkerOptions()
    options.onLoaded = { application.endBackgroundTask(holder) }
    options.onNotice = { notice in Console.say("saved: \(notice)") }
    let worker = Worker(
      computation, store: try Job(of: computation, options: jobOptions), application: application,
      options: options)
    worker.start()
    dispatchMain()
  }
}
