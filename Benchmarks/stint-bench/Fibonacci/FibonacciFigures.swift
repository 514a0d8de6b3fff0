import Foundation
import StintCore
import StintFibonacci

/// What the runs of one number say.
struct FibonacciFigures {
  /// The position at which most limits hold.
  private static let judged = 100_000_000
  /// What a process of Stint has resident before it has computed anything, in MiB: the program, its
  /// threads, the store.
  private static let ownMebibytes = 16.0

  let n: Int
  /// The runs with digits.
  let runs: [FibonacciSubject: [FibonacciTimes]]
  /// The runs without.
  let doubling: [FibonacciSubject: [FibonacciTimes]]

  private var name: String { "n\(n)" }
  private var words: String { "F(\(Self.power(n) ?? "\(n)"))" }
  private var isLarge: Bool { n == FibonacciOptions.large }

  /// 10^k for a power of ten.
  static func power(_ n: Int) -> String? {
    let exponent = Int(log10(Double(n)).rounded())
    return Int(pow(10, Double(exponent)).rounded()) == n ? "10^\(exponent)" : nil
  }

  /// All figures of the number.
  func all() -> [Figure] {
    guard let gmp = runs[.gmp], let stint = runs[.stint], let one = runs[.stintOnOne],
      let gmpNumber = doubling[.gmp], let stintNumber = doubling[.stint],
      let oneNumber = doubling[.stintOnOne]
    else { return [] }
    let isJudged = n == Self.judged
    var figures = [
      ratio(
        "NumberRatio", "the number", stintNumber, gmpNumber, \.number,
        gate: isJudged ? 0.68 : nil, goal: isJudged ? 0.60 : nil),
      ratio(
        "NumberOnOneRatio", "the number, one thread", oneNumber, gmpNumber, \.number,
        gate: isJudged ? 1.03 : nil),
      ratio(
        "DigitsRatio", "the digits", digits(stint, without: stintNumber), gmp, \.digits,
        gate: isJudged ? 0.60 : nil, goal: isJudged ? 0.50 : nil),
      ratio(
        "DigitsOnOneRatio", "the digits, one thread", digits(one, without: oneNumber), gmp,
        \.digits),
      ratio(
        "WholeRatio", "number and digits", stint, gmp, \.both, gate: isLarge ? 0.60 : nil,
        goal: isLarge ? 0.50 : nil),
      ratio("WholeOnOneRatio", "number and digits, one thread", one, gmp, \.both),
      ratio("MemoryRatio", "memory with digits", stint, gmp, \.peakMebibytes),
      memory(stintNumber, gmpNumber),
    ]
    for subject in FibonacciSubject.allCases where !subject.isOurs && subject != .gmp {
      guard let runs = runs[subject] else { continue }
      figures.append(
        ratio(
          subject.rawValue.prefix(1).uppercased() + subject.rawValue.dropFirst() + "WholeRatio",
          "\(subject.words), number and digits", runs, gmp, \.both))
    }
    return figures
  }

  /// What the digits cost: so much longer takes a run that makes them than one that does not, be
  /// they made with the number or from it.
  private func digits(
    _ runs: [FibonacciTimes], without doubling: [FibonacciTimes]
  ) -> [FibonacciTimes] {
    let number = Sample(doubling.map(\.number)).median
    return runs.map { run in
      var run = run
      run.digits = max(0, run.both - number)
      return run
    }
  }

  private func ratio(
    _ suffix: String, _ what: String, _ runs: [FibonacciTimes], _ gmp: [FibonacciTimes],
    _ value: KeyPath<FibonacciTimes, Double>, gate: Double? = nil, goal: Double? = nil
  ) -> Figure {
    let pairs = zip(runs, gmp).map { ($0[keyPath: value], max($1[keyPath: value], 1e-6)) }
    let ratios = Sample(pairs.map { $0 / $1 })
    let isMemory = value == \FibonacciTimes.peakMebibytes
    let unit = isMemory ? "MiB" : "s"
    let (own, theirs) = (Sample(pairs.map(\.0)).median, Sample(pairs.map(\.1)).median)
    let format = isMemory ? "%.0f" : "%.3f"
    return Figure(
      name + suffix, "\(words), \(what)", .ratio, ratios.median, gate: gate, goal: goal, of: ratios,
      note: String(format: "\(format) \(unit) beside \(format) \(unit) of GMP", own, theirs))
  }

  /// The doubling may have what `mpz_fib_ui` has, and one pair.
  private func memory(_ stint: [FibonacciTimes], _ gmp: [FibonacciTimes]) -> Figure {
    let pair = 2 * Double(FibonacciLength.bits(n)) / 8 / 1_048_576
    let allowed = Sample(gmp.map(\.peakMebibytes)).median + pair + Self.ownMebibytes
    let ratios = Sample(stint.map { $0.peakMebibytes / allowed })
    let isKnown = (stint + gmp).allSatisfy(\.isPeakKnown)
    let figure = Figure(
      name + "NumberMemoryRatio", "\(words), memory of the number", .ratio, ratios.median, gate: 1,
      of: ratios,
      note: String(
        format: "%.0f MiB; allowed are %.0f MiB of mpz_fib_ui, a pair of %.0f MiB and %.0f MiB of "
          + "the program", Sample(stint.map(\.peakMebibytes)).median,
        Sample(gmp.map(\.peakMebibytes)).median, pair, Self.ownMebibytes))
    return isKnown ? figure : figure.notJudged()
  }

  /// A number in slices, over the uninterrupted process.
  func sliced(_ found: FibonacciSlices.Result, slice: Duration, whole: Double) -> Figure {
    Figure(
      name + "SlicesOf\(slice.nanoseconds / 1_000_000)msRatio",
      "\(words) in slices of \(slice.compactText)", .ratio, found.seconds / whole,
      gate: isLarge ? 1.25 : nil, goal: isLarge ? 1.10 : nil,
      note: String(
        format: "%d processes, %d of them killed at their end: %.2f s, uninterrupted %.2f s",
        found.processes, found.killed, found.seconds, whole))
  }

  /// By which power of n the time grows from one position to the next.
  static func growth(_ times: [FibonacciSubject: [(n: Int, seconds: Double)]]) -> [Figure] {
    FibonacciSubject.allCases.flatMap { subject -> [Figure] in
      let points = times[subject] ?? []
      return zip(points, points.dropFirst()).compactMap { first, second in
        guard first.seconds > 0, second.seconds > 0 else { return nil }
        let power =
          log(second.seconds / first.seconds) / log(Double(second.n) / Double(first.n))
        return Figure(
          "\(subject.rawValue)GrowthTo\(second.n)Exponent",
          "\(subject.words): growth from \(Self.power(first.n) ?? "\(first.n)") to "
            + "\(Self.power(second.n) ?? "\(second.n)"), a power of n of", .exponent, power)
      }
    }
  }
}
