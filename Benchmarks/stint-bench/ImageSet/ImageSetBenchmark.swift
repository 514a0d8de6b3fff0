import Foundation
import StintCommands
import StintCore

/// What `stint-bench images` is to do.
struct ImageSetOptions: Hashable {
  /// The options that all benchmarks have.
  var bench: BenchOptions
  /// Whether all cells are measured, which takes hours.
  var full: Bool
  /// The folder that plots go to; nil for none.
  var plots: String?

  init(_ parsed: ParsedOptions) throws {
    bench = try BenchOptions(parsed)
    full = parsed.has("full")
    plots = parsed.text("plots")
  }

  /// What is measured.
  ///
  /// - Throws: ``StintError`` with the code `usage` if that is nothing.
  func cells() throws -> [ImageSetCell] {
    let named = full ? ImageSetCell.all : ImageSetCell.brief
    let wanted = named.filter { bench.wants($0.name) }
    guard !wanted.isEmpty else {
      throw StintError(
        .usage,
        "--only names no set; the sets are " + named.map(\.name).joined(separator: ", ") + ".")
    }
    guard bench.quick else { return wanted }
    let small = wanted.map { cell in
      ImageSetCell(
        filter: cell.filter, megapixels: 1, count: cell.count < 200 ? 1 : 2,
        isTurned: cell.isTurned)
    }
    return Set(small).sorted { $0.name < $1.name }
  }
}

/// What a set of images costs, beside what else takes images through a filter.
struct ImageSetBenchmark {
  let options: ImageSetOptions
  let machine: MachineState

  /// Measures every cell that is wanted.
  ///
  /// - Throws: ``StintError``: `usage` if none is wanted, `unavailable` if a program is missing or
  ///   fails, `checkFailed` if a result is missing or its pixels differ.
  func figures() throws -> [Figure] {
    let cells = try options.cells()
    let scratch = try ScratchDirectory(below: options.bench.directory)
    let reference = try ReferencePrograms(buildingIn: scratch.path)
    let tools = ImageSetTools(
      reference: reference, stint: try ChildProcess.sibling("stint"),
      threads: machine.processors)
    // `stint` becomes this one.
    _ = try ChildProcess.sibling("stint-images")
    // ImageMagick takes minutes for a set that others take a second for.
    let subjects = ImageSetSubject.present().filter { options.full || $0 != .mogrify }
    let images = ImageSetImages(directory: scratch.path, reference: reference)
    var results: [ImageSetResult] = []
    for cell in cells {
      Console.say("\(cell.what) ...")
      let inputs = try images.make(cell)
      let runs = ImageSetRuns(
        cell: cell, subjects: subjects, tools: tools, inputs: inputs, directory: scratch.path,
        rounds: rounds(cell))
      results.append(ImageSetResult(cell: cell, runs: try runs.all()))
    }
    if let folder = options.plots { try ImageSetPlots(results).write(to: folder) }
    let figures = results.flatMap(\.figures) + ImageSetResult.growth(results)
    return scratch.isMemory ? figures.map { $0.notJudged() } : figures
  }

  private func rounds(_ cell: ImageSetCell) -> Int {
    if options.bench.quick { return 1 }
    return options.bench.rounds ?? (cell.count > 200 ? 1 : 7)
  }
}

extension BenchVerb {
  static let images = BenchVerb(
    specification: .measuring(
      "images", "Sets of images beside vipsthumbnail, vips, mogrify and a C program on libvips",
      options: [
        BenchOptions.directory,
        OptionSpecification(
          "only", argument: "SETS", group: .work,
          help: "Only these, with commas, by the beginning of a name: "
            + ImageSetCell.brief.map(\.name).joined(separator: ", ")),
        OptionSpecification(
          "full", group: .work,
          help: "All filters with 20, 200 and 2000 images; takes hours"),
        OptionSpecification(
          "plots", argument: "DIR", group: .display,
          help: "Draw time and memory over the number of images, as SVG files"),
      ],
      examples: [
        .init(
          command: "stint-bench images --full --only thumbnail --plots plots",
          meaning: "how thumbnails grow with the number of images")
      ])
  ) { parsed in
    let options = try ImageSetOptions(parsed)
    return try options.bench.measure("images") { machine in
      try ImageSetBenchmark(options: options, machine: machine).figures()
    }
  }
}
