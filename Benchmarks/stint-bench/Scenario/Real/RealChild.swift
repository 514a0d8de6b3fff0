import Dispatch
import Foundation
import Glibc
import Stint
import StintCore
import StintScenarios

/// A process that works through one budget of a scenario under its parent's supervision.
struct RealChild: Hashable, Codable {
  /// Who works: the name of a strategy, `honest`, or the name of a planted fault.
  var worker: String
  var workload: Workload
  var seed: UInt64
  var repetition: Int
  var trip: Int
  var grant: Nanoseconds
  /// When the trip began, in nanoseconds of the boot-time clock.
  var launchedAt: Int64
  /// What a rule is given, because the literature assumes it known.
  var meanTimeBetweenFailures: Double
  var everySeconds: Double
  var total: Nanoseconds
  var checkpointBytes: Int
  var tick: Nanoseconds
  /// The folder of its job, and the file of its events.
  var jobs: String
  var events: String

  private var knowledge: Knowledge {
    Knowledge(
      workload: workload, meanTimeBetweenFailures: meanTimeBetweenFailures,
      everySeconds: everySeconds)
  }

  /// What it computes.
  func computation(_ lines: LineFile) -> DrawnComputation {
    DrawnComputation(
      work: Work(workload, draws: Draws(seed: seed).repetition(repetition)), trip: trip,
      total: total, checkpointBytes: checkpointBytes
    ) { index, began, state in
      lines.chunk(index, began: began, done: state.done)
    }
  }

  /// Works until its time is gone.
  func play(launchedAt _: Instant) throws -> Never {
    // It hears over its channel that it is to end, and the signal that comes with it would end it
    // before it has saved.
    signal(SIGTERM, SIG_IGN)
    let lines = try LineFile(events)
    var hooks = InProcessSystem.Hooks()
    // Its parent keeps the ledger, and what it has done wrong is found there.
    hooks.diagnose = { _ in }
    guard let remote = try RemoteSystem.adopt(termination: .terminate, hooks: hooks) else {
      throw StintError(.usage, "--as-child is for stint-bench itself.")
    }
    let application = Application(system: remote)
    application.launch()
    var options = Job.Options()
    options.jobsDirectory = jobs
    let computation = computation(lines)
    let holder = application.beginBackgroundTask(withName: "loading") {}
    let job = try Job(of: computation, options: options)
    job.observeRecords { lines.write($0.line) }
    if worker == StrategyName.stint.rawValue {
      application.driver.suspensionFollowUp = .exit(SupervisorExit.unfinished)
      runWorker(computation, job, application, remote, holder: holder, lines)
    } else if let rule = StrategyName(rawValue: worker)?.rule(knowledge) {
      let process = try RuleProcess(
        rule, launchedAt: Instant(nanoseconds: launchedAt), computation: computation, job: job,
        application: application, lines: lines)
      process.register()
      application.endBackgroundTask(holder)
      remote.link.listen { event in
        if case .stop(_, let deadline) = event {
          DispatchQueue.main.async { process.warned(until: deadline) }
        }
      }
      remote.begin(named: "stint-bench")
      process.start()
    } else {
      let planted = PlantedProcess(
        self, computation: computation, job: job, application: application, lines: lines)
      try planted.start()
      application.endBackgroundTask(holder)
      remote.link.listen { event in
        if case .stop = event { DispatchQueue.main.async { planted.expired() } }
      }
      remote.begin(named: "stint-bench")
    }
    dispatchMain()
  }

  /// Stint's own worker.
  private func runWorker(
    _ computation: DrawnComputation, _ job: Job, _ application: Application,
    _ remote: RemoteSystem, holder: BackgroundTaskIdentifier, _ lines: LineFile
  ) {
    var options = WorkerOptions()
    options.tick = .nanoseconds(tick)
    options.onReport = { lines.tick($0) }
    options.onLoaded = { application.endBackgroundTask(holder) }
    options.onEnd = { _ in exit(SupervisorExit.unfinished) }
    let worker = Worker(computation, store: job, application: application, options: options)
    remote.link.listen { event in
      if case .stop(let reason, _) = event { worker.stop(reason: reason) }
    }
    worker.start()
    remote.begin(named: "stint-bench")
  }
}

/// A file to which a worker writes what it does, a line of JSON each (`docs/formats/events.md`).
final class LineFile: Sendable {
  private let descriptor: Int32

  /// Opens it for appending.
  ///
  /// - Throws: ``StintError`` with the code `cannotCreate`.
  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StintError(.cannotCreate, "\(path) cannot be opened.", errno: errno)
    }
  }

  deinit { close(descriptor) }

  /// Appends a line that ends with a newline.
  func write(_ line: String) {
    let bytes = Array(line.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  /// A chunk is complete.
  func chunk(_ index: Int, began: Instant, done: Nanoseconds) {
    var json = JSONLine()
    json.add("event", "chunk")
    json.add("bootSeconds", seconds: .nanoseconds(BootClock.now.nanoseconds))
    json.add("index", index)
    json.add("beganBootSeconds", seconds: .nanoseconds(began.nanoseconds))
    json.add("doneSeconds", seconds: .nanoseconds(done))
    write(json.line)
  }

  /// A report.
  func tick(_ report: StatusReport) {
    var json = JSONLine()
    json.add("event", "tick")
    json.add("bootSeconds", seconds: .nanoseconds(BootClock.now.nanoseconds))
    json.add("state", report.state.rawValue)
    json.add("fraction", report.progress.fraction)
    if case .limited(let rest) = report.remaining { json.add("remainingSeconds", seconds: rest) }
    json.add("workTimeSeconds", seconds: report.workTime)
    write(json.line)
  }

  /// Says that a checkpoint is durable.
  func checkpoint(work: Nanoseconds, fraction: Double) {
    var json = JSONLine()
    json.add("event", "checkpoint")
    json.add("bootSeconds", seconds: .nanoseconds(BootClock.now.nanoseconds))
    json.add("tookSeconds", seconds: .zero)
    json.add("workTimeSeconds", seconds: .nanoseconds(work))
    json.add("fraction", fraction)
    write(json.line)
  }
}

extension RealChild: BenchChild {
  static let name = "scenario"
  var mostSeconds: Int { Int(grant / 1_000_000_000) + 30 }

  var words: [String] {
    [String(decoding: (try? JSONEncoder().encode(self)) ?? Data(), as: UTF8.self)]
  }

  init?(words: [String]) {
    guard words.count == 1,
      let child = try? JSONDecoder().decode(RealChild.self, from: Data(words[0].utf8))
    else { return nil }
    self = child
  }
}
