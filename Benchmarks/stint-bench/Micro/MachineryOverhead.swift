import Dispatch
import Glibc
import Stint
import StintCore

/// What the worker costs a computation: its assertion, its ticks, its checkpoints.
///
/// The same steps are computed bare, by a worker without checkpoints, and by one with a checkpoint
/// each second; the cost of a checkpoint is then counted once in ten seconds. What a worker takes
/// is the time from the beginning of its first chunk to the end of its last one.
struct MachineryOverhead {
  private enum Subject: CaseIterable {
    case bare, worker, checkpoints
  }

  /// How often the figure assumes a checkpoint.
  private static let assumedInterval = Duration.seconds(10)
  /// How often one is made while measuring.
  private static let measuredInterval = Duration.seconds(1)
  private static let checkpointBytes = 1 << 20

  let options: BenchOptions
  let machine: MachineState

  private var rounds: Int { options.quick ? 1 : options.rounds ?? 9 }
  private var seconds: Double { options.quick ? 0.2 : 3 }

  /// Measures all three in turn.
  func figures() throws -> [Figure] {
    let scratch = try ScratchDirectory(below: options.directory)
    let perSecond = machine.iterationsPerSecond
    let computation = {
      SpinComputation(
        totalIterations: Int(perSecond * seconds),
        chunks: Outlook.ChunkRange(smallest: perSecond * 0.005, largest: perSecond),
        ballast: Ballast(count: Self.checkpointBytes))
    }
    // A directory each: the worker before may hold its job until its threads have gone.
    var runs = 0
    func nextDirectory() -> String {
      runs += 1
      return "\(scratch.path)/\(runs)"
    }
    let times = try Interleaving.run(Subject.allCases, rounds: rounds) { subject in
      switch subject {
      case .bare: Self.bare(computation())
      case .worker: try Self.worked(computation(), every: .seconds(3600), in: nextDirectory())
      case .checkpoints:
        try Self.worked(computation(), every: Self.measuredInterval, in: nextDirectory())
      }
    }
    guard let bare = times[.bare], let worker = times[.worker], let saving = times[.checkpoints]
    else { return [] }
    let scale = Self.measuredInterval / Self.assumedInterval
    let idle = zip(worker, bare).map { ($0 / $1 - 1) * 100 }
    let saves = zip(zip(saving, worker), bare).map { times, bare in
      (times.0 - times.1) / bare * 100 * scale
    }
    let both = Sample(zip(idle, saves).map { $0 + $1 })
    func total(_ rounds: [Int]) -> Double {
      Sample(rounds.map { idle[$0] }).median + Sample(rounds.map { saves[$0] }).median
    }
    // Both parts of a round are resampled together: a slow round is slow in both.
    let interval = Sample.interval(resampling: idle.count, total)
    let percent: (Double) -> String = { "\(($0 * 1000).rounded() / 1000) %" }
    let figure = Figure(
      "machineryPercent", "machinery over the bare loop", .percent, total(Array(idle.indices)),
      gate: 0.5, goal: 0.2, of: both,
      interval: Interval(low: interval.lowerBound, high: interval.upperBound),
      note:
        "assertion, ticks and chunks \(percent(Sample(idle).median)), a checkpoint of 1 MiB each "
        + "10 s \(percent(Sample(saves).median))")
    return [scratch.isMemory ? figure.notJudged() : figure]
  }

  /// The loop as one would write it: chunks of a quarter second on a thread, and nothing else.
  private static func bare(_ computation: SpinComputation) -> Double {
    let thread = SerialThread(name: "bench-bare")
    let gate = Rendezvous(parties: 1)
    let chunk = Int(computation.chunks.largest / 4)
    thread.enqueue {
      gate.meet {
        let flag = StopFlag()
        computation.span.chunkBegan(at: BootClock.now)
        var word: UInt64 = 1
        var rest = computation.totalIterations
        while rest > 0 {
          word = SpinKernel.run(min(rest, chunk), from: word, until: flag) ?? 0
          rest -= chunk
        }
        Sink.take(word)
        computation.span.chunkEnded(at: BootClock.now)
      }
    }
    _ = gate.wait()
    return computation.span.duration.inSeconds
  }

  private static func worked(
    _ computation: SpinComputation, every interval: Duration, in directory: String
  ) throws -> Double {
    let application = Application(
      system: try InProcessSystem(policy: .commandLine.withBudget(.seconds(3600))))
    application.launch()
    var jobOptions = Job.Options()
    jobOptions.jobsDirectory = directory
    let job = try Job(of: computation, options: jobOptions)
    let ended = DispatchSemaphore(value: 0)
    let outcome = Protected<WorkerOutcome?>(nil)
    var options = WorkerOptions()
    options.tick = .seconds(1)
    options.onReport = { report in Sink.take(report.progress.fraction) }
    options.policy.checkpointEvery = interval
    options.onEnd = { result in
      outcome.withLock { $0 = result }
      ended.signal()
    }
    let worker = Worker(computation, store: job, application: application, options: options)
    _ = application.beginBackgroundTask(withName: "holder") {}
    application.enterBackground()
    worker.start()
    ended.wait()
    guard outcome.withLock({ $0 }) == .finished else {
      throw StintError(.checkFailed, "The benchmark's worker did not finish.")
    }
    return computation.span.duration.inSeconds
  }
}
