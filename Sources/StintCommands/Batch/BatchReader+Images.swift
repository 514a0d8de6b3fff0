import StintCore
import StintRuntime

// Images are another program's work, which reads the line itself when it runs it. Read here is what the words alone say: whether
// the options are right, and where the results go.

extension BatchReader {
  func image(_ words: [String], _ number: Int) throws(StintError) -> BatchJob {
    do {
      let parsed = try OptionScanner.scan(words, options: VerbTable.runImage.options)
      let gives = VerbTable.runImage.options.map(\.name).filter(parsed.has)
      try Self.refuseShared(gives)
      // The first operand is the word "image".
      let paths = Array(parsed.operands.dropFirst())
      guard !paths.isEmpty else {
        throw StintError(
          .usage, "Say which image, for example: image in.tif out.png --filter invert.")
      }
      var job = BatchJob(
        number: number, verb: .run, words: words, key: key("image", words), gives: Set(gives))
      if let folder = parsed.text("output-dir") {
        job.results = try Self.results(of: paths, in: folder, parsed)
      } else {
        job.outputPath = try output(parsed.text("output") ?? paths.dropFirst().first)
      }
      return job
    } catch {
      throw StintError(wrapping: error, while: "reading the line")
    }
  }

  /// The path of the result of one image; nil if it goes to standard output.
  private func output(_ argument: String?) throws(StintError) -> FilePath? {
    guard let argument else {
      throw StintError(
        .usage, "OUT is missing; write, for example: image in.tif out.png --filter invert.")
    }
    let path = try OutputDestination(argument).path
    if needsOutput, path == nil {
      throw StintError(
        .usage, "--json needs a file for OUT in the line; standard output carries the JSON.")
    }
    return path
  }

  /// The paths of many results: each has its input's name, and the ending by which the format was asked for.
  private static func results(
    of inputs: [String], in folder: String, _ parsed: ParsedOptions
  ) throws(StintError) -> [FilePath] {
    guard let folder = try OutputDestination(folder: folder).path else { return [] }
    let number = parsed.has("frames") ? "-*" : ""
    let suffix = parsed.text("suffix") ?? ""
    return inputs.map { input in
      let name = FilePath(input).withoutLastSlashes.name.text
      let dot = name.dropFirst().lastIndex(of: ".")
      let ending = parsed.text("format") ?? dot.map { String(name[name.index(after: $0)...]) } ?? ""
      let stem = dot.map { name[..<$0] } ?? name[...]
      return folder.appending("\(stem)\(suffix)\(number).\(ending)")
    }
  }
}
