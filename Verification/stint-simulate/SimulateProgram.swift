import Glibc
import StintCommands
import StintCore
import StintLockstep
import StintRuntime
import StintSimulation

/// The program `stint-simulate`.
enum SimulateProgram {
  private static let name = "stint-simulate"

  /// Reads the command line and carries it out; the process ends here.
  static func main() -> Never {
    do {
      let parsed = try OptionScanner.scan(
        Array(CommandLine.arguments.dropFirst()), options: SimulateOptions.verb.options)
      if parsed.has("help") {
        write(HelpText.render(SimulateOptions.verb, program: name, width: 80))
        exit(0)
      }
      exit(try carryOut(SimulateOptions(parsed)))
    } catch {
      let error = StintError(wrapping: error, while: "simulating")
      writeToStandardError("\(name): \(error.typed)\n")
      exit(ExitStatus.of(error))
    }
  }

  private static func carryOut(_ options: SimulateOptions) throws -> Int32 {
    if let life = options.life { return tell(life, plant: options.plant) }
    // First of all, so that whatever happens can be seen again.
    write("seed \(options.seed)\n")
    let began = BootClock.now
    let simulation = Simulation(
      seed: options.seed, runs: options.runs, threads: options.threads, plant: options.plant)
    let report = simulation.run()
    let took = began.duration(to: BootClock.now)
    write(SimulateReport.text(report, took: took, threads: options.threads))
    if let failure = report.failure {
      write(SimulateReport.failure(failure, plant: options.plant))
      return ExitStatus.checkFailed
    }
    return try compare(options)
  }

  /// The machines of the system and of the schedule beside their second statements.
  private static func compare(_ options: SimulateOptions) throws -> Int32 {
    let histories = options.plant == nil ? options.histories : 0
    for index in 0..<histories {
      do {
        try lockstep(seed: options.seed &+ UInt64(index), steps: 60)
        try scheduleLockstep(seed: options.seed &+ UInt64(index), steps: 60)
      } catch {
        write("\(error)\n")
        return ExitStatus.checkFailed
      }
    }
    if histories > 0 {
      write(
        "\(histories) histories of 60 events in lockstep with the second model, and as many of the "
          + "schedule: no difference\n")
    }
    return 0
  }

  /// One life, event by event.
  private static func tell(_ seed: UInt64, plant: PlantedFault?) -> Int32 {
    let history = LifeHistory(seed: seed, plant: plant)
    write(history.lines.joined(separator: "\n") + "\n")
    guard let violation = history.report.violation else { return 0 }
    write("\(violation.invariant) is broken: \(violation.detail)\n")
    return ExitStatus.checkFailed
  }

  private static func write(_ text: String) {
    do {
      try StandardOutput().write(text)
    } catch {
      exit(ExitStatus.of(StintError(wrapping: error, while: "writing")))
    }
  }
}
