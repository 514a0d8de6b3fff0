import Foundation
import StintCore

/// What a pipeline costs with checkpoints, over the same pipeline as one graph of libvips in a C
/// program.
struct ImageBenchmark {
  let options: ImageOptions
  let machine: MachineState

  private var cases: [ImageCase] {
    ImageCase.all.filter { options.bench.wants($0.pipeline.rawValue) }
  }
  private var rounds: Int { options.bench.quick ? 1 : options.bench.rounds ?? 5 }
  /// The Magicks are told and not judged, so a few runs will do.
  private var toldRounds: Int { min(rounds, 2) }

  /// Runs every pipeline that is wanted.
  ///
  /// - Throws: ``StintError``: `usage` if none is wanted, `unavailable` if a program is missing or
  ///   fails, `checkFailed` if pixels differ.
  func figures() throws -> [Figure] {
    let cases = cases
    guard !cases.isEmpty else {
      throw StintError(
        .usage,
        "--only names no pipeline; the pipelines are "
          + ImagePipeline.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    let scratch = try ScratchDirectory(below: options.bench.directory)
    let reference = try ReferencePrograms(buildingIn: scratch.path)
    let tools = try ImageTools(reference: reference, threads: machine.processors)
    let images = TestImages(
      directory: scratch.path, reference: reference, megapixels: options.megapixels)
    let inputs = try images.make(Set(cases.map(\.input)))
    let figures = try cases.flatMap { item in
      try CaseRuns(
        item: item, tools: tools, input: inputs[item.input] ?? "", directory: scratch.path,
        rounds: rounds, toldRounds: toldRounds
      ).figures()
    }
    return scratch.isMemory ? figures.map { $0.notJudged() } : figures
  }
}

extension ImageTools {
  /// Finds the programs beside this one and in `PATH`, and says which do not take part.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if `stint` or `stint-images` is not
  ///   built.
  init(reference: ReferencePrograms, threads: Int) throws {
    let stint = try ChildProcess.sibling("stint")
    // It becomes this one.
    _ = try ChildProcess.sibling("stint-images")
    // Debian's own name first: "convert" may be many things.
    let magick = ChildProcess.installed(["magick", "convert-im6.q16", "convert"])
    let graphicsMagick = ChildProcess.installed(["gm"])
    if magick == nil { Console.say("ImageMagick is left out: it is not installed.") }
    if graphicsMagick == nil { Console.say("GraphicsMagick is left out: it is not installed.") }
    self.init(
      reference: reference, stint: stint, magick: magick,
      graphicsMagick: graphicsMagick, threads: threads)
  }
}
