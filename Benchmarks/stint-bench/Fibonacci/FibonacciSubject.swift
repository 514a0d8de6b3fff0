import Foundation
import StintCore

/// Who computes a number.
enum FibonacciSubject: String, CaseIterable {
  /// GMP's own two functions in a C program.
  case gmp
  /// Stint with its checkpoints, on all processors.
  case stint
  /// The same on one.
  case stintOnOne
  case gmpy2
  case pari
  case flint

  /// The name for people.
  var words: String {
    switch self {
    case .gmp: "GMP"
    case .stint: "Stint"
    case .stintOnOne: "Stint, one thread"
    case .gmpy2: "gmpy2"
    case .pari: "PARI/GP"
    case .flint: "python-flint"
    }
  }

  /// Whether it is one of those that are compared.
  var isOurs: Bool { self == .stint || self == .stintOnOne }
}

/// What one run of a subject took.
struct FibonacciTimes: Hashable {
  /// From n to the number.
  var number: Double
  /// From the number to its digits.
  var digits: Double
  /// The process from its start to its end, writing the digits included.
  var process: Double
  /// The most that it had resident, in MiB.
  var peakMebibytes: Double
  var isPeakKnown: Bool

  /// What is compared: both functions.
  var both: Double { number + digits }
}

/// The programs that take part, and how each is told to compute a number.
struct FibonacciTools {
  private let gmp: String
  private let rival: String
  private let pythons: [FibonacciSubject: String]
  private let hasPari: Bool
  private let own: String
  let threads: Int

  /// Compiles the C program, and finds out who else is there.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  init(buildingIn directory: String, threads: Int) throws {
    let sources = try SourceFolder.find("Benchmarks/fibonacci-reference", holding: "gmp.c")
    gmp = directory + "/gmp"
    let words = ["-O2", "-o", gmp, sources + "/gmp.c", "-lgmp"]
    try CommandRun(ProgramCommand(program: "cc", arguments: words), logs: directory).expectSuccess()
    let rival = sources + "/rival.py"
    func answers(_ command: ProgramCommand) -> Bool {
      (try? CommandRun(command, logs: directory))?.end == .exited(0)
    }
    var pythons: [FibonacciSubject: String] = [:]
    for subject in [FibonacciSubject.gmpy2, .flint] {
      // The system's own may have libraries that another one before it in PATH has not.
      pythons[subject] = ["python3", "/usr/bin/python3"].first { python in
        answers(
          ProgramCommand(program: python, arguments: [rival, subject.rawValue, "0", "/dev/null"]))
      }
    }
    hasPari = answers(ProgramCommand(program: "gp", arguments: ["--version-short"]))
    self.rival = rival
    self.pythons = pythons
    self.threads = threads
    own = try ChildProcess.ownPath()
  }

  /// Those who are here.
  var subjects: [FibonacciSubject] {
    FibonacciSubject.allCases.filter { subject in
      switch subject {
      case .gmp, .stint, .stintOnOne: true
      case .gmpy2, .flint: pythons[subject] != nil
      case .pari: hasPari
      }
    }
  }

  /// Computes a number once, and says what that took; nil if the subject is not here.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if it fails.
  func run(
    _ subject: FibonacciSubject, _ n: Int, wantsDigits: Bool = true, in directory: String
  ) throws -> FibonacciTimes? {
    let place = directory + "/run"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: place) }
    guard
      let command = try command(
        subject, n, wantsDigits: wantsDigits, output: place + "/digits", jobs: place + "/jobs")
    else { return nil }
    let run = try CommandRun(command, logs: place)
    try run.expectSuccess()
    let seconds = run.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard seconds.count >= 2 else {
      throw StintError(.unavailable, "\(subject.words) said no times: \(run.output.prefix(200))")
    }
    return FibonacciTimes(
      number: seconds[0], digits: wantsDigits ? seconds[1] : 0, process: run.seconds,
      peakMebibytes: run.peakMebibytes, isPeakKnown: run.isPeakKnown)
  }

  private func command(
    _ subject: FibonacciSubject, _ n: Int, wantsDigits: Bool, output: String, jobs: String
  ) throws -> ProgramCommand? {
    switch subject {
    case .gmp:
      return ProgramCommand(
        program: gmp, arguments: wantsDigits ? ["\(n)", "digits", output] : ["\(n)", "number"])
    case .stint, .stintOnOne:
      let child = FibonacciChild(
        n: n, threads: subject == .stint ? threads : 1, writesDigits: wantsDigits, directory: jobs)
      return ProgramCommand(program: own, arguments: child.arguments)
    case .gmpy2, .flint:
      return pythons[subject].map {
        ProgramCommand(program: $0, arguments: [rival, subject.rawValue, "\(n)", output])
      }
    case .pari:
      guard hasPari else { return nil }
      let script = output + ".gp"
      try Data(Self.pariScript(n, output).utf8).write(to: URL(filePath: script))
      return ProgramCommand(
        program: "gp", arguments: ["-q", "-f", "-D", "parisizemax=20G", script])
    }
  }

  /// PARI's clock of the wall counts milliseconds.
  private static func pariScript(_ n: Int, _ output: String) -> String {
    """
    a = getwalltime(); f = fibonacci(\(n)); b = getwalltime(); s = Str(f); c = getwalltime();
    write("\(output)", s);
    print((b - a) / 1000., " ", (c - b) / 1000.);
    quit

    """
  }
}
