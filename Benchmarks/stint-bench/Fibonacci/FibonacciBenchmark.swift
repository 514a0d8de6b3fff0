import Foundation
import StintCommands
import StintCore
import StintScenarios

/// F(n) and its digits beside GMP's own functions and others that are installed.
struct FibonacciBenchmark {
  let options: FibonacciOptions
  let machine: MachineState

  private func rounds(_ n: Int) -> Int {
    options.bench.quick || n > 300_000_000 ? 1 : options.bench.rounds ?? 5
  }

  /// Runs everybody in turn, from the smallest number to the largest.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if a program is missing or fails.
  func figures() throws -> [Figure] {
    let scratch = try ScratchDirectory(below: options.bench.directory)
    let tools = try FibonacciTools(buildingIn: scratch.path, threads: machine.processors)
    for subject in FibonacciSubject.allCases where !tools.subjects.contains(subject) {
      Console.say("\(subject.words) is left out: it is not installed.")
    }
    var figures: [Figure] = []
    var growth: [FibonacciSubject: [(n: Int, seconds: Double)]] = [:]
    var slices: [(processes: Int, ratio: Double)] = []
    for n in options.positions {
      Console.say("F(\(n)) ...")
      let runs = try Interleaving.run(tools.subjects, rounds: rounds(n)) { subject in
        try tools.run(subject, n, in: scratch.path)
      }
      let doubling = try Interleaving.run([.gmp, .stint, .stintOnOne], rounds: rounds(n)) {
        subject in
        try tools.run(subject, n, wantsDigits: false, in: scratch.path)
      }
      let figuresOfN = FibonacciFigures(n: n, runs: runs, doubling: doubling)
      figures += figuresOfN.all()
      for (subject, runs) in runs {
        growth[subject, default: []].append((n, Sample(runs.map(\.both)).median))
      }
      guard let whole = runs[.stint].map({ Sample($0.map(\.process)).median }) else { continue }
      for slice in lengths(n, whole: whole) {
        let found = try FibonacciSlices(
          stint: ChildProcess.sibling("stint"), n: n, threads: tools.threads, slice: slice,
          directory: scratch.path
        ).run()
        figures.append(figuresOfN.sliced(found, slice: slice, whole: whole))
        if n == options.positions.last { slices.append((found.processes, found.seconds / whole)) }
      }
    }
    figures += FibonacciFigures.growth(growth)
    if let path = options.plot { try plot(growth, slices, to: path) }
    return figures
      + (try SequenceThroughput(options: options.bench, directory: scratch.path).figures())
  }

  /// The slices in which a number is cut: 5 s as the numbers to reach have it, and for the largest
  /// some others, to see the growth.
  private func lengths(_ n: Int, whole: Double) -> [Duration] {
    if n == FibonacciOptions.large { return [.seconds(5)] }
    guard n == options.positions.last, !options.bench.quick else { return [] }
    return [2.0, 4, 8].map { parts in
      .milliseconds(max(300, Int(whole / parts * 100) * 10))
    }
  }

  private func plot(
    _ growth: [FibonacciSubject: [(n: Int, seconds: Double)]],
    _ slices: [(processes: Int, ratio: Double)], to path: String
  ) throws {
    let series = FibonacciSubject.allCases.compactMap { subject in
      growth[subject].map { points in
        LogLogPlot.Series(
          name: subject.words, points: points.map { (Double($0.n), $0.seconds) })
      }
    }
    let plot = LogLogPlot(
      title: "F(n) with all its digits", x: "n", y: "seconds", series: series,
      note: slices.isEmpty
        ? nil
        : "In slices: "
          + slices.map { String(format: "%d processes %.2f times", $0.processes, $0.ratio) }
          .joined(separator: ", ") + " the uninterrupted run.")
    do {
      try Data(plot.svg.utf8).write(to: URL(filePath: path))
    } catch {
      throw StintError(.cannotCreate, "The plot cannot be written to \(path): \(error).")
    }
  }
}

extension BenchVerb {
  static let fibonacci = BenchVerb(
    specification: .measuring(
      "fibonacci",
      "F(n) and its digits beside GMP's own functions, gmpy2, PARI/GP and python-flint",
      options: [
        BenchOptions.directory,
        OptionSpecification(
          "n", argument: "POSITIONS", group: .work,
          help: "Which numbers, with commas (default 1e6,1e7,1e8)"),
        OptionSpecification("large", group: .work, help: "F(10^9) too, which takes some minutes"),
        OptionSpecification(
          "plot", argument: "FILE", group: .display, help: "Draw the times over n, as SVG"),
      ],
      examples: [
        .init(
          command: "stint-bench fibonacci --large --plot fibonacci.svg",
          meaning: "everything, with a picture")
      ])
  ) { parsed in
    let options = try FibonacciOptions(parsed)
    return try options.bench.measure("fibonacci") { machine in
      try FibonacciBenchmark(options: options, machine: machine).figures()
    }
  }
}
