import Dispatch
import Glibc
import Stint
import StintCore

/// What the worker costs a computation: its assertion, its ticks, its checkpoints.
///
/// The same steps are computed bare, by a worker without checkpoints, and by one with a checkpoint
/// each second; the cost of a checkpoint is then counted once in ten seconds. The judged cost is
/// what is spent besides the chunks: the time between them and all processor time outside them.
/// How much longer the whole takes is told as well, but a machine that others share varies more
/// from run to run than the machinery costs.
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
    let spans = try Interleaving.run(Subject.allCases, rounds: rounds) { subject in
      switch subject {
      case .bare: Self.bare(computation())
      case .worker: try Self.worked(computation(), every: .seconds(3600), in: nextDirectory())
      case .checkpoints:
        try Self.worked(computation(), every: Self.measuredInterval, in: nextDirectory())
      }
    }
    let judged = figure(
      "machineryPercent", "machinery over the bare loop", spans, \.besides, gate: 0.5, goal: 0.2)
    let whole = figure(
      "machineryWholePercent", "the same, by how much longer the whole takes", spans, \.duration)
    return [scratch.isMemory ? judged.notJudged() : judged, whole]
  }

  /// What a worker costs more than the bare loop, by one measure, as a share of the loop's time.
  private func figure(
    _ name: String, _ what: String, _ spans: [Subject: [SpinComputation.Span]],
    _ measure: (SpinComputation.Span) -> Duration, gate: Double? = nil, goal: Double? = nil
  ) -> Figure {
    let (bare, worker, saving) = (
      spans[.bare] ?? [], spans[.worker] ?? [], spans[.checkpoints] ?? []
    )
    func percent(_ span: SpinComputation.Span, over other: SpinComputation.Span, _ round: Int)
      -> Double
    {
      (measure(span) - measure(other)) / bare[round].duration * 100
    }
    let scale = Self.measuredInterval / Self.assumedInterval
    let idle = bare.indices.map { percent(worker[$0], over: bare[$0], $0) }
    let saves = bare.indices.map { percent(saving[$0], over: worker[$0], $0) * scale }
    func total(_ rounds: [Int]) -> Double {
      Sample(rounds.map { idle[$0] }).median + Sample(rounds.map { saves[$0] }).median
    }
    // Both parts of a round are resampled together: a slow round is slow in both.
    let interval = Sample.interval(resampling: idle.count, total)
    func text(_ part: [Double]) -> String { "\((Sample(part).median * 1000).rounded() / 1000) %" }
    return Figure(
      name, what, .percent, total(Array(idle.indices)), gate: gate, goal: goal,
      of: Sample(zip(idle, saves).map { $0 + $1 }),
      interval: Interval(low: interval.lowerBound, high: interval.upperBound),
      note:
        "assertion, ticks and chunks \(text(idle)), a checkpoint of 1 MiB each 10 s \(text(saves))")
  }

  /// The loop as one would write it: chunks of a quarter second on a thread, and nothing else.
  private static func bare(_ computation: SpinComputation) -> SpinComputation.Span {
    let thread = SerialThread(name: "bench-bare")
    let gate = Rendezvous(parties: 1)
    let chunk = Int(computation.chunks.largest / 4)
    thread.enqueue {
      gate.meet {
        let flag = StopFlag()
        var word: UInt64 = 1
        var rest = computation.totalIterations
        while rest > 0 {
          word = computation.span.chunk {
            SpinKernel.run(min(rest, chunk), from: word, until: flag) ?? 0
          }
          rest -= chunk
        }
        Sink.take(word)
      }
    }
    _ = gate.wait()
    return computation.span
  }

  private static func worked(
    _ computation: SpinComputation, every interval: Duration, in directory: String
  ) throws -> SpinComputation.Span {
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
    return computation.span
  }
}
