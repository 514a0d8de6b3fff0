import StintCore

// Images are a form of `run` with options of its own. It is described here, so that help and wrong options need no libvips.

extension VerbTable {
  /// What `stint run` computes.
  static let kinds = ["fibonacci", imageKind]

  /// The kind of jobs that work on images.
  package static let imageKind = "image"

  /// The kind of jobs that work on many images.
  package static let imageSetKind = "image-set"

  /// The kinds of jobs that the program with libvips runs.
  static let imageKinds = [imageKind, imageSetKind]

  /// The forms of verbs that have options of their own.
  package static let forms = [runImage]

  /// `stint run image`.
  package static let runImage = VerbSpecification(
    "run image", summary: "Filter images; run again, it goes on where it stopped",
    usage: [
      "run image IN OUT --filter NAME[:PARAMETERS]... [OPTIONS]",
      "run image IN... --output-dir DIR --filter NAME[:PARAMETERS]... [OPTIONS]",
      "run image --list-filters [--json]",
    ],
    operands: .own,
    options: ImageOptionTable.work + [
      OptionTable.threads, OptionTable.isolated, OptionTable.dryRun,
    ] + time
      + [OptionTable.checkpointEvery, OptionTable.fresh, OptionTable.keep]
      + ImageOptionTable.output + [OptionTable.force, OptionTable.unfinishedExitCode]
      + display + [OptionTable.jobsDirectory],
    examples: [
      .init(
        command: "stint run image scan.tif small.png --filter resize:50% --filter sharpen",
        meaning: "half the size, then sharpened"),
      .init(
        command: "stint run image scan.tif edges.tif --filter canny --budget 2s --until-done",
        meaning: "the edges, in stints of two seconds"),
      .init(
        command: "stint run image *.jpg --output-dir small --filter resize:25% --budget 10s",
        meaning: "all of them; each stands in small/ as soon as it is done"),
    ],
    exitStatuses: runStatuses + [
      .init(
        status: "1", meaning: "of many images all are done or have failed, and some have failed")
    ])

  /// The form of a verb that its words ask for: that of images, if the first operand of `run` says so.
  static func form(of verb: VerbSpecification, words: [String]) -> VerbSpecification {
    guard verb == run else { return verb }
    let own = runImage.options.filter { option in !run.options.contains { $0.name == option.name } }
    // What is wrong with the words is told by whoever reads them with the options of one form.
    let parsed = try? OptionScanner.scan(
      words, options: run.options + own, stopsAtOperand: true)
    return parsed?.operands.first == imageKind ? runImage : verb
  }

  /// The form of a verb by its whole name, such as `run image`.
  static func form(named name: String) -> VerbSpecification? {
    forms.first { $0.name == name }
  }
}

/// The options of `stint run image`.
enum ImageOptionTable {
  static let work = [filter, listFilters, page, frames, keepOrientation]
  static let output = [
    file, folder, suffix, format, background, quality, compression, tile,
  ]

  static let filter = OptionSpecification(
    "filter", argument: "FILTER", group: .work, isRepeatable: true,
    help: "A filter such as gaussian-blur:3; given more than once they work in order")
  static let listFilters = OptionSpecification(
    "list-filters", group: .work, help: "Show all filters with their parameters")
  static let page = OptionSpecification(
    "page", argument: "NUMBER", group: .work,
    help: "Which page or frame of the input, from 0 (default 0)")
  static let frames = OptionSpecification(
    "frames", group: .work,
    help: "Make a file of each page or frame, NAME-000 and so on, with --output-dir")
  static let keepOrientation = OptionSpecification(
    "keep-orientation", group: .work,
    help: "Leave the pixels as they are stored, although the input says how to turn them")

  static let file = OptionSpecification(
    "output", letter: "o", argument: "FILE", group: .output,
    help: "Where the image goes, in place of OUT")
  static let folder = OptionSpecification(
    "output-dir", argument: "DIR", group: .output,
    help: "The folder for the results of any number of inputs, each under its input's name")
  static let suffix = OptionSpecification(
    "suffix", argument: "TEXT", group: .output,
    help: "Put before the ending of each name in --output-dir, such as -small")
  static let format = OptionSpecification(
    "format", argument: "FORMAT", group: .output,
    help: "The format of the output, such as png or tiff (default: by the suffix of OUT, or of IN)")
  static let background = OptionSpecification(
    "background", argument: "COLOUR", group: .output,
    help: "Lay the result on a colour such as white or #102030, in place of its alpha")
  static let quality = OptionSpecification(
    "quality", argument: "NUMBER", group: .output,
    help: "Quality of JPEG, WebP and their like, 1 to 100")
  static let compression = OptionSpecification(
    "compression", argument: "HOW", group: .output,
    help: "PNG: 0 to 9; TIFF: none, lzw, deflate, deflate-1 to deflate-9; WebP and others: lossless"
  )
  static let tile = OptionSpecification(
    "tile", argument: "SIZE", group: .output,
    help: "TIFF in tiles of that width and height, a multiple of 16, such as 256")
}
