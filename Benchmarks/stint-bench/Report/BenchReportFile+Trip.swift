import StintCore
import StintReport
import StintScenarios

extension BenchReportFile {
  /// A trip of a sample life; instants are seconds since it began.
  struct Trip: Decodable {
    struct Span: Decodable {
      var beginSeconds: Double
      var endSeconds: Double
    }

    struct Chunk: Decodable {
      var beginSeconds: Double
      var endSeconds: Double
    }

    struct Checkpoint: Decodable {
      var beginSeconds: Double
      var endSeconds: Double
      var isDurable: Bool
      var workSeconds: Double
    }

    var beganSeconds: Double
    var isDenied: Bool
    var warnedSeconds: Double?
    var announcedSeconds: Double?
    var deadlineSeconds: Double?
    var standstills: [Span]?
    var endSeconds: Double?
    /// `inOrder`, `killed`, `gone`; a reader passes over words that are to come.
    var end: String?
    var savedSeconds: Double?
    var lostSeconds: Double?
    var chunks: [Chunk]?
    var checkpoints: [Checkpoint]?
  }
}

extension BenchReportFile.Trip {
  /// The trip as a stint.
  var stint: LifeStint {
    func time(_ seconds: Double?) -> Duration { Duration(clampingSeconds: max(0, seconds ?? 0)) }
    guard !isDenied else {
      return LifeStint(
        began: time(beganSeconds), budget: .zero, elapsed: .zero, saved: .zero, ending: .denied,
        words: "nothing was granted")
    }
    var stint = LifeStint(
      began: time(beganSeconds), budget: deadlineSeconds.map(time), elapsed: time(endSeconds),
      saved: time(savedSeconds), lost: time(lostSeconds), ending: ending, words: words)
    stint.chunks = (chunks ?? []).map { chunk in
      .init(at: time(chunk.beginSeconds), took: time(chunk.endSeconds - chunk.beginSeconds))
    }
    for checkpoint in checkpoints ?? [] {
      if checkpoint.isDurable {
        stint.checkpoints.append(
          .init(
            at: time(checkpoint.endSeconds),
            took: time(checkpoint.endSeconds - checkpoint.beginSeconds),
            workTime: time(checkpoint.workSeconds)))
      } else {
        stint.remarks.append(
          .init(
            at: time(checkpoint.endSeconds), kind: .checkpointFailed,
            text: "the end came before the checkpoint was durable"))
      }
    }
    if let warnedSeconds {
      stint.expiries.append(
        .init(
          at: time(warnedSeconds), reason: "the warning came",
          deadline: announcedSeconds.map(time)))
    }
    for standstill in standstills ?? [] {
      let length = time(standstill.endSeconds - standstill.beginSeconds)
      stint.remarks.append(
        .init(
          at: time(standstill.beginSeconds), kind: .notice,
          text: "the machine stood still for \(length.compactText)"))
    }
    return stint
  }

  private var ending: LifeStint.Ending {
    switch end {
    case "killed", "gone": .killed
    case _: .timeUp
    }
  }

  private var words: String {
    switch end {
    case "inOrder", nil: "its task was ended"
    case "killed": "it was killed"
    case "gone": "the end came unannounced"
    case .some(let other): "its end: \(other)"
    }
  }
}

extension BenchReportFile {
  /// What a page shows of it.
  var account: BenchAccount {
    BenchAccount(
      program: "\(program) \(version)", mode: mode, seed: seed, repeats: repeats,
      scenarios: scenarios.map(\.account), goals: goals.map(\.account))
  }

  /// All sample lives, as a trace has them.
  var tracks: [TraceFile.Track] {
    scenarios.flatMap { scenario in
      scenario.strategies.filter { !$0.life.isEmpty }.map { strategy in
        TraceFile.Track(name: "\(scenario.title): \(strategy.title)", life: strategy.account.life)
      }
    }
  }
}

extension BenchReportFile.Scenario {
  fileprivate var account: BenchAccount.Scenario {
    BenchAccount.Scenario(
      name: name, title: title, description: description, trips: trips,
      chunkMean: chunkMeanSeconds, checkpointMean: checkpointMeanSeconds,
      budgetMean: budgetMeanSeconds,
      oracle: oracle.map { oracle in
        oracle.sentence
          + " It expects to save \(NumberText.percent(oracle.expectedSavedShare, decimals: 2)), to "
          + "within \(NumberText.fixed(oracle.errorPoints, decimals: 3)) points of its grid in time."
      }, strategies: strategies.map(\.account), goals: goals.map(\.account))
  }
}

extension BenchReportFile.Strategy {
  fileprivate var account: BenchAccount.Strategy {
    var account = BenchAccount.Strategy(
      name: name, title: title, savedShare: savedShare.account,
      behindOraclePoints: behindOraclePoints?.account, lostShare: lostShare.account,
      checkpointShare: checkpointShare.account, overruns: overruns.account,
      checkpoints: checkpoints, falseClaims: falseClaims, tripsToFinish: tripsToFinish?.account,
      life: Life(stints: life.map(\.stint)))
    account.findings = (findings ?? []).map { finding in
      .init(
        fault: WorkerFault(rawValue: finding.fault)?.title ?? finding.fault, trips: finding.trips,
        sentence: finding.sentence)
    }
    return account
  }
}

extension BenchReportFile.Estimate {
  fileprivate var account: BenchAccount.Estimate { .init(mean: mean, low: low, high: high) }
}

extension BenchReportFile.Overruns {
  fileprivate var account: BenchAccount.Overruns {
    .init(
      count: count, trips: trips, p50: pastDeadlineSeconds?.p50, p99: pastDeadlineSeconds?.p99,
      maximum: pastDeadlineSeconds?.maximum,
      bins: histogram.map { .init(from: $0.fromSeconds, to: $0.toSeconds, count: $0.count) })
  }
}

extension BenchReportFile.Goal {
  fileprivate var account: BenchAccount.Goal {
    .init(
      sentence: sentence, measured: measured, limit: limit, isAtMost: sense == .atMost,
      isKept: isKept, explanation: explanation)
  }
}
