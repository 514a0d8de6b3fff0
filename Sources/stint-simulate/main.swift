import StintSimulation

let report = simulate(seed: UInt64(CommandLine.arguments[1])!, runs: Int(CommandLine.arguments[2])!, plant: CommandLine.arguments.count > 3 ? Plant(rawValue: CommandLine.arguments[3]) : nil)
print(report)
