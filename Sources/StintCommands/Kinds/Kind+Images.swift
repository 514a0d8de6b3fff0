import StintCore
import StintRuntime

// Images are the work of another program, which alone knows libvips. What stands here needs no
// libvips: help, wrong options, and of a line of a batch where the results go.

extension Kind {
  /// One image.
  package static let image = Kind(name: "image", form: .image, runner: .program(.images)) {
    parameters in
    "image \(parameters["source"] ?? "?")" + pipeline(parameters)
  }

  /// Many images.
  package static let imageSet = Kind(
    name: "image-set", form: .image, option: ImageOptionTable.folder.name,
    runner: .program(.images),
    output: .folder, canBeCut: true
  ) { parameters in
    "images" + pipeline(parameters) + shardWords(parameters)
  }

  private static func pipeline(_ parameters: [String: String]) -> String {
    parameters["pipeline"].map { $0.isEmpty ? "" : " \($0)" } ?? ""
  }
}

extension HelperProgram {
  /// The program that knows libvips, whose loading takes longer than the whole start of `stint`.
  package static let images = HelperProgram(
    name: "stint-images", purpose: "The image filters", library: "libvips",
    remedy: "build Stint with the trait Images and libvips-dev, and run make install")
}

extension KindForm {
  /// `stint run image`.
  static let image = KindForm(
    run: "image", operands: "IN OUT",
    summary: "Filter images; run it again to continue where it stopped",
    usage: [
      "run image IN OUT --filter NAME[:PARAMETERS]... [OPTIONS]",
      "run image IN... --output-dir DIR --filter NAME[:PARAMETERS]... [OPTIONS]",
      "run image --recursive FOLDER... --output-dir DIR --filter NAME[:PARAMETERS]... [OPTIONS]",
      "run image --list-filters [--json]",
    ],
    work: ImageOptionTable.work, output: ImageOptionTable.output + [OptionTable.force],
    examples: [
      .init(
        command: "stint run image scan.tif small.png --filter resize:50% --filter sharpen",
        meaning: "half the size, then sharpened"),
      .init(
        command: "stint run image scan.tif edges.tif --filter canny --budget 2s --until-done",
        meaning: "the edges, in stints of two seconds"),
      .init(
        command: "stint run image *.jpg --output-dir small --filter resize:25% --budget 10s",
        meaning: "all of them; each appears in small/ as soon as it is done"),
    ],
    exitStatuses: [
      .init(status: "1", meaning: "all images are done or failed, and at least one failed")
    ]
  ) { words, options, reader in
    let parsed = try OptionScanner.scan(words, options: options)
    let gives = try reader.gives(parsed, options)
    // The first operand is the word "image".
    let paths = Array(parsed.operands.dropFirst())
    guard !paths.isEmpty || parsed.has(ImageOptionTable.filesFrom.name) else {
      throw StintError(
        .usage, "Say which image, for example: image in.tif out.png --filter invert.")
    }
    try ImageOptionTable.refuseStandardInput(parsed)
    var job = BatchJob(verb: .run, words: words, key: "", gives: gives)
    let terms = try JobTerms(parsed, in: reader.surroundings)
    job.take(keys: reader.keys("image", words, terms), terms)
    if let folder = parsed.text("output-dir") {
      job.results = try results(of: paths, in: folder, parsed)
      job.set = try set(in: folder, parsed)
    } else {
      job.outputPath = try output(
        parsed.text("output") ?? paths.dropFirst().first, needsOutput: reader.needsOutput)
    }
    return job
  }

  /// The path of the result of one image; nil if it goes to standard output.
  private static func output(
    _ argument: String?, needsOutput: Bool
  ) throws(StintError) -> FilePath? {
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

  /// What decides which set a line works on, whatever its inputs are, as far as its words say it.
  private static func set(
    in folder: String, _ parsed: ParsedOptions
  ) throws(StintError) -> String? {
    guard let folder = try OutputDestination(folder: folder).path else { return nil }
    let others = [
      ImageOptionTable.recursive, ImageOptionTable.exclude, ImageOptionTable.filesFrom,
      ImageOptionTable.damaged, ImageOptionTable.trust, ImageOptionTable.folder,
      ImageOptionTable.deleteOrphans, ImageOptionTable.onCollision,
    ].map(\.name)
    let deciding = (ImageOptionTable.work + ImageOptionTable.output).filter {
      !others.contains($0.name) && parsed.has($0.name)
    }
    return deciding.reduce(folder.text) { text, option in
      let values =
        option.isRepeatable ? parsed.texts(option.name) : [parsed.text(option.name) ?? ""]
      return "\(text)\0\(option.name)\0\(values.joined(separator: "\0"))"
    }
  }

  /// The paths of many results.
  ///
  /// Each has its input's name, and the ending by which the format was asked for.
  private static func results(
    of inputs: [String], in folder: String, _ parsed: ParsedOptions
  ) throws(StintError) -> [FilePath] {
    // What is in a folder is known when it is read.
    guard let folder = try OutputDestination(folder: folder).path,
      !parsed.has(ImageOptionTable.recursive.name)
    else { return [] }
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
