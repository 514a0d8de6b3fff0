import StintCommands
import StintCore
import StintSimulation

/// What a command line of `stint-simulate` asks for.
struct SimulateOptions {
  var seed: UInt64
  var runs: Int
  var threads: Int
  var histories: Int
  var plant: PlantedFault?
  var life: UInt64?

  /// Reads the options.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    if let operand = parsed.operands.first {
      throw StintError(.usage, "stint-simulate takes no operand; \"\(operand.prefix(60))\" is one.")
    }
    seed = try Self.seed(parsed, "seed") ?? UInt64.random(in: 0...UInt64.max)
    life = try Self.seed(parsed, "life")
    runs = try parsed.integer("runs", in: 1...1_000_000_000) ?? 10_000
    threads = try parsed.integer("threads", in: 1...1_024) ?? Processors.available()
    histories = try parsed.integer("histories", in: 0...1_000_000_000) ?? max(1, runs / 100)
    plant = try parsed.text("plant").map { name in
      if let plant = PlantedFault(rawValue: name) { return plant }
      let names = PlantedFault.allCases.map(\.rawValue)
      let advice = NearestName.find(name, among: names).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage,
        "There is no plant \"\(name.prefix(60))\".\(advice) "
          + "They are: \(names.joined(separator: ", ")).")
    }
  }

  private static func seed(_ parsed: ParsedOptions, _ name: String) throws -> UInt64? {
    guard let text = parsed.text(name) else { return nil }
    let isHex = text.hasPrefix("0x")
    guard let seed = UInt64(isHex ? String(text.dropFirst(2)) : text, radix: isHex ? 16 : 10) else {
      throw StintError(
        .usage,
        "--\(name) \"\(text.prefix(60))\" is no seed; give a number from 0 to \(UInt64.max), "
          + "or 0x and hexadecimal digits.")
    }
    return seed
  }

  /// The program as help and the scanner know it.
  static let verb = VerbSpecification(
    "", summary: "Whole lives of a worker, drawn from a seed, with every invariant checked",
    usage: ["[OPTIONS]"], operands: .none,
    options: [
      OptionSpecification(
        "seed", argument: "S", group: .work,
        help: "Decides everything (default: a new one, printed first)"),
      OptionSpecification(
        "runs", argument: "N", group: .work, help: "How many lives (default 10000)"),
      OptionSpecification(
        "histories", argument: "N", group: .work,
        help: "Histories in lockstep with the second model (default: a hundredth of the lives)"),
      OptionSpecification(
        "threads", argument: "N", group: .work,
        help: "How many threads (default: what affinity and cgroup allow)"),
      OptionSpecification(
        "plant", argument: "NAME", group: .work,
        help: "Plant a fault, which an invariant must catch"),
      OptionSpecification(
        "life", argument: "S", group: .display,
        help: "Tell the one life of this seed, event by event"),
    ],
    examples: [
      .init(command: "stint-simulate --runs 1000000", meaning: "what a release must pass"),
      .init(
        command: "stint-simulate --plant expiryIsLost", meaning: "see a fault being caught"),
    ],
    exitStatuses: [
      .init(status: "0", meaning: "no invariant was broken"),
      .init(status: "64", meaning: "bad usage"),
      .init(
        status: "70", meaning: "an invariant was broken; the seed and the shortest history are told"
      ),
    ])
}
