import Glibc
import Stint
import StintCommands
import StintCore

/// The program `stint-bench`.
enum BenchProgram {
  /// The program's name, as help and messages write it.
  static let name = "stint-bench"
  /// A gate was missed.
  private static let missed: Int32 = 1

  /// Reads the command line and carries it out; the process ends here.
  static func main() -> Never {
    let launchedAt = BootClock.now
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let role = try ChildRole(arguments: arguments) {
        try role.play(launchedAt: launchedAt)
      }
      exit(try carryOut(BenchCommandLine(arguments: arguments)))
    } catch {
      let error = StintError(wrapping: error, while: "measuring")
      Console.say("\(name): \(error.typed)")
      exit(ExitStatus.of(error))
    }
  }

  private static func carryOut(_ request: BenchCommandLine) throws -> Int32 {
    switch request {
    case .help(let verb):
      Console.write(BenchVerbs.help(verb))
      return 0
    case .version:
      Console.write("\(name) \(StintProgram.version)\n")
      return 0
    case .run(let options):
      return try ScenarioBenchmark(options: options).run() ? 0 : missed
    case .selfCheck(let verb):
      return try verb.run()
    case .compare(let first, let second):
      try ScenarioBenchmark.compare(first, second)
      return 0
    case .list:
      try ScenarioBenchmark.list()
      return 0
    case .report(let verb):
      try verb.run()
      return 0
    case .hardStop(let options):
      return try measure(options, verb: "hard-stop") { machine in
        try HardStopBenchmark(options: options).figures()
      }
    case .micro(let options):
      return try measure(options, verb: "micro") { machine in
        try MicroBenchmark(options: options, machine: machine).figures()
      }
    case .image(let options):
      if let generation = options.generation {
        try TestImages.generate(generation)
        return 0
      }
      return try measure(options.bench, verb: "image") { machine in
        try ImageBenchmark(options: options, machine: machine).figures()
      }
    case .fibonacci(let options):
      return try measure(options.bench, verb: "fibonacci") { machine in
        try FibonacciBenchmark(options: options, machine: machine).figures()
      }
    case .exec(let options):
      return try measure(options, verb: "exec") { machine in
        try ExecBenchmark(options: options).figures()
      }
    }
  }

  /// Calibrates, measures, prints, and says whether every gate was kept.
  private static func measure(
    _ options: BenchOptions, verb: String, _ body: (MachineState) throws -> [Figure]
  ) throws -> Int32 {
    let began = BootClock.now
    let machine = try MachineState.sample(quick: options.quick)
    Console.say(machine.description)
    if let reason = machine.busyReason, !options.quick {
      if options.check, !options.busyOK {
        throw StintError(
          .unavailable,
          "\(reason), so nothing is judged; wait until it is quiet, or give "
            + "--busy-ok to see the figures without a verdict.")
      }
      Console.say("\(reason), so nothing is judged.")
    }
    let isJudged = !options.quick && machine.busyReason == nil
    var figures = try body(machine)
    if !isJudged { figures = figures.map { $0.notJudged() } }
    let report = BenchReport(
      verb: verb, quick: options.quick, machine: machine, figures: figures,
      took: began.duration(to: BootClock.now))
    Console.write(options.json ? try report.json() : TablePrinter.render(report))
    return options.check && report.hasMissedGate ? missed : 0
  }
}
