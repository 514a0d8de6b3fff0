/// Who runs a pipeline.
enum ImageSubject: String, CaseIterable {
  /// The C program on libvips.
  case reference
  /// `stint run image`, which needs no checkpoint in so short a time.
  case stint
  /// The same with bands made durable every second.
  case durable
  case magick
  case graphicsMagick

  /// The name for people.
  var words: String {
    switch self {
    case .reference: "C program"
    case .stint: "Stint"
    case .durable: "Stint, durable every second"
    case .magick: "ImageMagick"
    case .graphicsMagick: "GraphicsMagick"
    }
  }

  /// Whether it must make the same pixels as the C program.
  var isExact: Bool { self == .stint || self == .durable }
}

/// The programs that take part, and how each is told to run a pipeline.
struct ImageTools {
  let reference: ReferencePrograms
  let stint: String
  /// ImageMagick's program, which is called magick or convert.
  let magick: String?
  /// GraphicsMagick's program.
  let graphicsMagick: String?
  let threads: Int

  /// Those who take part.
  var subjects: [ImageSubject] {
    ImageSubject.allCases.filter { subject in
      switch subject {
      case .reference, .stint, .durable: true
      case .magick: magick != nil
      case .graphicsMagick: graphicsMagick != nil
      }
    }
  }

  /// How a subject is told to run a pipeline with an empty folder of jobs; nil if it does not take
  /// part.
  func command(
    _ subject: ImageSubject, _ item: ImageCase, from input: String, to output: String, jobs: String
  ) -> ProgramCommand? {
    switch subject {
    case .reference:
      return reference.command(item.pipeline.rawValue, from: input, to: output, threads: threads)
    case .stint:
      return stint(item, from: input, to: output, jobs: jobs, durableEvery: "1h")
    case .durable:
      return stint(item, from: input, to: output, jobs: jobs, durableEvery: "1s")
    case .magick:
      return magick.map {
        ProgramCommand(
          program: $0, arguments: [input] + item.pipeline.magick + plainOutput(output),
          variables: ["MAGICK_THREAD_LIMIT": "\(threads)"])
      }
    case .graphicsMagick:
      guard let program = graphicsMagick, let words = item.pipeline.graphicsMagick else {
        return nil
      }
      return ProgramCommand(
        program: program, arguments: ["convert", input] + words + plainOutput(output),
        variables: ["OMP_NUM_THREADS": "\(threads)"])
    }
  }

  private func stint(
    _ item: ImageCase, from input: String, to output: String, jobs: String, durableEvery: String
  ) -> ProgramCommand {
    let filters = item.pipeline.filters.flatMap { ["--filter", $0] }
    let format =
      switch item.output {
      case .tiff: ["--compression", "none", "--tile", "256"]
      case .png: ["--compression", "6"]
      case .jpeg: [String]()
      }
    return ProgramCommand(
      program: stint,
      arguments: ["run", "image", input, output] + filters + format + [
        "--threads", "\(threads)", "--checkpoint-every", durableEvery, "--jobs-dir", jobs,
        "--quiet",
      ])
  }

  /// The options of both Magicks for 8 bits and a tiled TIFF without compression; PNG is theirs by
  /// default.
  private func plainOutput(_ path: String) -> [String] {
    let depth = ["-depth", "8"]
    return path.hasSuffix("." + ImageFormat.tiff.suffix)
      ? depth + ["-compress", "None", "-define", "tiff:tile-geometry=256x256", path]
      : depth + [path]
  }
}
