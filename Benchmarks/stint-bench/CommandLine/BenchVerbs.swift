import StintCommands

/// The verbs and options of the program, as help and the scanner know them.
enum BenchVerbs {
  static let hardStop = VerbSpecification(
    "hard-stop",
    summary: "How long a stuck process lives past its deadline, beside GNU timeout",
    usage: ["hard-stop [OPTIONS]"], operands: .none, options: common,
    examples: [
      .init(command: "stint-bench hard-stop --check", meaning: "what a release must pass")
    ],
    exitStatuses: statuses)

  static let micro = VerbSpecification(
    "micro",
    summary: "What a task, the worker and a checkpoint cost, and what is saved of a budget",
    usage: ["micro [OPTIONS]"], operands: .none,
    options: common + [budget, directory, only],
    examples: [
      .init(command: "stint-bench micro --check", meaning: "what a release must pass"),
      .init(
        command: "stint-bench micro --only task,remaining --json",
        meaning: "two groups of figures, for a program"),
    ],
    exitStatuses: statuses)

  static let image = VerbSpecification(
    "image",
    summary: "Image pipelines beside a C program on libvips, ImageMagick and GraphicsMagick",
    usage: ["image [OPTIONS]", "image --generate WIDTHxHEIGHT OUT [OPTIONS]"], operands: .own,
    options: common + [
      directory,
      OptionSpecification(
        "only", argument: "PIPELINES", group: .work,
        help: "Only these, with commas: "
          + ImagePipeline.allCases.map(\.rawValue).joined(separator: ", ")),
      OptionSpecification(
        "megapixels", argument: "COUNT", group: .work,
        help: "Millions of pixels of the images (default 36, with --quick 1)"),
      OptionSpecification(
        "generate", argument: "SIZE", group: .work,
        help: "Only write a test image of that width and height, such as 20000x15000, as tiled TIFF"
      ),
      OptionSpecification(
        "depth", argument: "BITS", group: .work, help: "Bits of its samples, 8 (default) or 16"),
      OptionSpecification("alpha", group: .work, help: "With alpha"),
      OptionSpecification(
        "seed", argument: "NUMBER", group: .work, help: "Another picture (default 1)"),
    ],
    examples: [
      .init(command: "stint-bench image --check", meaning: "what a release must pass"),
      .init(
        command: "stint-bench image --generate 20000x15000 scan.tif",
        meaning: "300 megapixels with structure, for a trial"),
    ],
    exitStatuses: statuses)

  static let exec = VerbSpecification(
    "exec",
    summary: "What it costs to run a command through stint exec, beside GNU timeout",
    usage: ["exec [OPTIONS]"], operands: .none, options: common,
    examples: [
      .init(command: "stint-bench exec --check", meaning: "what a release must pass")
    ],
    exitStatuses: statuses)

  static let fibonacci = VerbSpecification(
    "fibonacci",
    summary: "F(n) and its digits beside GMP's own functions, gmpy2, PARI/GP and python-flint",
    usage: ["fibonacci [OPTIONS]"], operands: .none,
    options: common + [
      directory,
      OptionSpecification(
        "n", argument: "POSITIONS", group: .work,
        help: "Which numbers, with commas (default 1e6,1e7,1e8)"),
      OptionSpecification("large", group: .work, help: "F(10^9) too, which takes some minutes"),
      OptionSpecification(
        "plot", argument: "FILE", group: .display, help: "Draw the times over n, as SVG"),
    ],
    examples: [
      .init(command: "stint-bench fibonacci --check", meaning: "what a release must pass"),
      .init(
        command: "stint-bench fibonacci --large --plot fibonacci.svg",
        meaning: "everything, with a picture"),
    ],
    exitStatuses: statuses)

  static let all = [
    run, selfCheck, compare, list, report, hardStop, micro, image, exec, fibonacci,
  ]

  static let version = OptionSpecification(
    "version", letter: "V", group: .general, help: "Show the version")

  /// Help for one verb, or for all.
  static func help(_ verb: VerbSpecification?) -> String {
    guard let verb else {
      return all.map { HelpText.render($0, program: BenchProgram.name, width: 80) }
        .joined(separator: "\n")
    }
    return HelpText.render(verb, program: BenchProgram.name, width: 80)
  }

  private static let common = [
    OptionSpecification(
      "check", group: .work, help: "Exit with 1 if a gate is missed, with 69 on a busy machine"),
    OptionSpecification(
      "busy-ok", group: .work, help: "Measure on a busy machine too, and judge nothing there"),
    OptionSpecification(
      "quick", group: .work, help: "Small counts: everything is done and nothing is judged"),
    OptionSpecification(
      "rounds", argument: "COUNT", group: .work, help: "Rounds of what is measured in rounds"),
    OptionSpecification("json", group: .display, help: "Write JSON, for programs"),
  ]

  private static let budget = OptionSpecification(
    "budget", argument: "TIME", group: .time,
    help: "The budget whose saved share is measured (default 30s; others are not judged)")
  private static let directory = OptionSpecification(
    "dir", argument: "DIR", group: .work,
    help: "Where files are written and removed again (default /var/tmp)")
  private static let only = OptionSpecification(
    "only", argument: "GROUPS", group: .work,
    help: "Only these, with commas: task, remaining, machinery, commit, saved")

  private static let statuses = [
    ExitStatusHelp.done,
    ExitStatusHelp(status: "1", meaning: "with --check: a gate is missed"),
    .usage,
    ExitStatusHelp(status: "69", meaning: "with --check: the machine is too busy to judge"),
  ]
}
