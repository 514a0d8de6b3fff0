import Dispatch
import Glibc
import Stint
import StintCore
import StintFibonacci

/// A process that computes one number with a worker, a job and checkpoints, as
/// `stint run fibonacci` does.
struct FibonacciChild {
  let n: Int
  let threads: Int
  /// Whether the digits are written; else the bytes of the number, which need no conversion.
  let writesDigits: Bool
  let directory: String
}

extension FibonacciChild: BenchChild {
  static let name = "fibonacci"
  var mostSeconds: Int { 3600 }
  var words: [String] { [String(n), String(threads), writesDigits ? "1" : "0", directory] }

  init?(words: [String]) {
    guard words.count == 4, let n = Int(words[0]), let threads = Int(words[1]),
      ["0", "1"].contains(words[2])
    else { return nil }
    self.init(n: n, threads: threads, writesDigits: words[2] == "1", directory: words[3])
  }

  /// Computes, prints the seconds of the doubling, of the conversion and of reading back, and ends
  /// the process.
  func play(launchedAt: Instant) throws -> Never {
    let times = PhaseTimes()
    let index = try FibonacciIndex(n)
    let format: FibonacciFormat = writesDigits ? .decimal : .raw
    FibonacciMemory.prepare(index, format: format, threads: threads)
    let computation = TimedFibonacci(
      computation: FibonacciComputation(index, format: format, threads: threads) { _, _ in },
      times: times)
    var jobOptions = Job.Options()
    jobOptions.jobsDirectory = directory
    let job = try Job(of: computation, options: jobOptions)
    // As long runs do from their first second on.
    try job.materialize()
    let application = Application(system: try InProcessSystem(policy: .commandLine))
    application.launch()
    let ended = DispatchSemaphore(value: 0)
    let outcome = Protected<WorkerOutcome?>(nil)
    var options = WorkerOptions()
    options.threads = threads
    options.onEnd = { result in
      outcome.withLock { $0 = result }
      ended.signal()
    }
    Worker(computation, store: job, application: application, options: options).start()
    ended.wait()
    guard outcome.withLock({ $0 }) == .finished else {
      throw StintError(.checkFailed, "The worker did not finish F(\(n)).")
    }
    let others = times.phases.filter { !["doubling", "checking"].contains($0) }
    let seconds = [times.seconds(["doubling"]), times.seconds(others), times.seconds(["checking"])]
    Console.write(seconds.map { "\($0)" }.joined(separator: " ") + "\n")
    _exit(0)
  }
}
