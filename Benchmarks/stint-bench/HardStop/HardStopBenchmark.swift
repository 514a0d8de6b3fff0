import CStint
import Glibc
import StintCommands
import StintCore

/// How long a stuck process lives past its deadline, beside GNU `timeout`, on a quiet machine and
/// under load.
struct HardStopBenchmark {
  /// Last instruction past the deadline, and how much later than `timeout` a process is reaped, in
  /// milliseconds.
  static let gate = 1.0
  static let goal = 0.2
  /// The most resident memory, in MiB.
  static let mostResident = 16.0

  /// In fewer rounds it may be chance that most processes had no processor in time.
  private static let roundsThatTell = 10

  let options: BenchOptions

  /// Of fewer rounds the 99th percentile has no upper end: 0.99 to the power of 368 is below 2.5 %.
  private static let roundsOfTail = 370
  private static let roundsOfOthers = 100

  private func rounds(_ usual: Int) -> Int { options.rounds ?? (options.quick ? 2 : usual) }
  private var budget: Duration { .milliseconds(100) }

  /// Measures all subjects.
  func figures() throws -> [Figure] {
    let page = try SharedPage()
    stint_adopt_orphans(1)
    defer { stint_adopt_orphans(0) }
    let subjects = HardStopSubject.allCases.filter { !$0.needsNamespace || Self.canUnshare }
    if !Self.canUnshare {
      Console.say("Process 1 is left out: unshare --pid needs root here.")
    }
    func play(_ subject: HardStopSubject) throws -> HardStopRound {
      try HardStopRound(subject, page: page, budget: budget)
    }
    func measure() throws -> [HardStopSubject: [HardStopRound]] {
      let usual = rounds(Self.roundsOfOthers)
      let together = try Interleaving.run(subjects, rounds: usual, play)
      let more = try Interleaving.run(
        subjects.filter(\.hasJudgedTail), rounds: rounds(Self.roundsOfTail) - usual, play)
      return together.merging(more, uniquingKeysWith: +)
    }
    let quiet = try measure()
    let loaded = try LoadProcesses.run(2, measure)
    return rows(of: quiet, named: "Quiet", "")
      + rows(of: loaded, named: "Loaded", ", under load")
  }

  private static var canUnshare: Bool {
    guard geteuid() == 0 else { return false }
    guard let child = try? ChildProcess("unshare", ["--pid", "--fork", "true"]) else {
      return false
    }
    return child.wait().end == .exited(0)
  }

  private func rows(
    of rounds: [HardStopSubject: [HardStopRound]], named suffix: String, _ words: String
  ) -> [Figure] {
    let timeouts = [HardStopSubject.timeout, .timeoutForeground].compactMap { subject in
      rounds[subject].map { Sample($0.map(\.reaped)).median }
    }
    return HardStopSubject.allCases.flatMap { subject -> [Figure] in
      guard let all = rounds[subject] else { return [] }
      let played = all.filter(\.hasPlayed)
      let name = subject.rawValue + suffix
      let what = subject.what + words
      let starved = all.count - played.count
      // A few may be starved by the load; most of them would mean that they cannot do it at all.
      let wrong =
        all.count { !$0.isRight }
        + (all.count >= Self.roundsThatTell && 2 * starved > all.count ? starved : 0)
      let ends = Figure(
        "\(name)WrongEndsCount", "\(what): wrong ends of \(all.count)", .count,
        Double(wrong), gate: 0, goal: 0,
        note: starved == 0
          ? nil : "\(starved) had no processor before the deadline and are not counted")
      guard !subject.isControl, !played.isEmpty else { return [ends] }
      let last = Sample(played.map(\.lastInstruction))
      let lastFigure = Figure(
        "\(name)LastInstructionMilliseconds", "\(what): last instruction, p99", .milliseconds,
        last.p99, gate: subject.hasJudgedTail ? Self.gate : nil,
        goal: subject.hasJudgedTail ? Self.goal : nil, of: last,
        interval: last.interval(ofQuantile: 0.99))
      let reaped = reapedFigure(
        name, what, Sample(played.map(\.reaped)), beside: timeouts.min(), of: subject)
      return [lastFigure, reaped, ends]
        + residentFigure(subject, name, what, Sample(played.map(\.peakResident)))
    }
  }

  /// The median against the better of the two ways to call `timeout`.
  ///
  /// Only the process stuck in its handler is judged: freeing what GMP holds, and `unshare` in
  /// between, take time of their own.
  private func reapedFigure(
    _ name: String, _ what: String, _ reaped: Sample, beside best: Double?,
    of subject: HardStopSubject
  ) -> Figure {
    let isJudged = subject == .stuckHandler
    return Figure(
      "\(name)ReapedMilliseconds", "\(what): reaped, median", .milliseconds, reaped.median,
      gate: isJudged ? best.map { $0 + Self.gate } : nil,
      goal: isJudged ? best.map { $0 + Self.goal } : nil, of: reaped,
      interval: isJudged ? reaped.interval(ofQuantile: 0.5) : nil)
  }

  private func residentFigure(
    _ subject: HardStopSubject, _ name: String, _ what: String, _ resident: Sample
  ) -> [Figure] {
    guard subject == .stuckHandler else { return [] }
    return [
      Figure(
        "\(name)ResidentMebibytes", "\(what): resident at most", .mebibytes, resident.maximum,
        gate: Self.mostResident, goal: Self.mostResident, of: resident)
    ]
  }
}

extension BenchVerb {
  static let hardStop = BenchVerb(
    specification: .measuring(
      "hard-stop", "How long a stuck process lives past its deadline, beside GNU timeout")
  ) { parsed in
    let options = try BenchOptions(parsed)
    return try options.measure("hard-stop") { _ in
      try HardStopBenchmark(options: options).figures()
    }
  }
}
