import Glibc
import Stint
import StintCommands
import StintCore

/// The program `stint-bench`.
enum BenchProgram {
  private static let verbs: [BenchVerb] = [
    .run, .publish, .selfCheck, .compare, .list, .report, .hardStop, .micro, .image, .images,
    .exec, .batch, .queue, .fibonacci,
  ]
  private static let children: [any BenchChild.Type] = [
    HardStopRole.self, SpinRole.self, LoadRole.self, SavedShareChild.self, FibonacciChild.self,
    RealChild.self,
  ]

  /// Reads the command line and carries it out; the process ends here.
  static func main() -> Never {
    let launchedAt = BootClock.now
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      try BenchChildren.play(arguments, among: children, launchedAt: launchedAt)
      exit(try carryOut(BenchCommandLine(arguments, verbs: verbs)))
    } catch {
      let error = StintError(wrapping: error, while: "measuring")
      Console.say("\(BenchVerb.program): \(error.typed)")
      exit(ExitStatus.of(error))
    }
  }

  private static func carryOut(_ request: BenchCommandLine) throws -> Int32 {
    switch request {
    case .help(let verbs):
      Console.write(verbs.map(\.help).joined(separator: "\n"))
    case .version:
      Console.write("\(BenchVerb.program) \(StintProgram.version)\n")
    case .verb(let verb, let parsed):
      return try verb.run(parsed)
    }
    return 0
  }
}
