#if Images
import Glibc
import StintCommands
import StintCore
import StintImages
import StintRuntime

/// What `stint run image` is to do with one image.
struct ImageWork: Sendable {
  /// The path of the source.
  var input: String
  /// Where the image goes; nil is standard output.
  var output: String?
  var selection: ImageSource.Selection
  /// The filters, each as the user wrote it.
  var filters: [String]
  var request: OutputRequest
  /// Which formats the user trusts, though libvips does not.
  var trusted: Set<UntrustedFormat>
  /// What the source must be, for a job that goes on.
  var fingerprint: SourceFingerprint?

  /// Reads what a job was made by.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  init(_ record: JobRecord) throws {
    let parameters = try ImageParameters(record)
    input = parameters.source.text
    output = record.outputPath?.text
    selection = parameters.selection
    filters = parameters.pipeline.isEmpty ? [] : [parameters.pipeline]
    request = try OutputRequest(canonicalText: parameters.output)
    trusted = parameters.trusted
    fingerprint = parameters.fingerprint
  }

  /// Reads and validates a command line.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    for name in [
      "frames", "suffix", "shard", "recursive", "exclude", "files-from", "delete-orphans",
      "on-collision",
    ] where parsed.has(name) {
      throw StintError(.usage, "--\(name) is for many results; add --output-dir DIR.")
    }
    let paths = try Self.paths(parsed)
    (input, output) = (paths.input, paths.output)
    selection = .init(
      page: try parsed.integer("page", in: 0...100_000) ?? 0,
      keepsOrientation: parsed.has("keep-orientation"),
      damaged: try DamagePolicy(word: parsed.text("damaged")))
    filters = Self.filters(parsed)
    trusted = try UntrustedFormat.set(parsed.texts("trust"))
    request = try Self.request(parsed, output: output)
  }

  private static func paths(_ parsed: ParsedOptions) throws -> (input: String, output: String?) {
    // The first operand is the word "image".
    let operands = Array(parsed.operands.dropFirst())
    guard let input = operands.first else {
      throw StintError(
        .usage,
        "IN and OUT are missing; write, for example: stint run image a.png b.png --filter invert.")
    }
    if input == "-" { throw standardInput }
    if operands.contains("") { throw emptyPath }
    let given = operands.dropFirst().first
    if given != nil, parsed.has("output") {
      throw StintError(.usage, "Give either OUT or --output FILE, not both.")
    }
    if operands.count > 2 {
      throw StintError(
        .usage,
        "\"\(operands[2].prefix(60))\" is one path too many; to filter several images, name a folder "
          + "for the results with --output-dir.")
    }
    guard let output = given ?? parsed.text("output") else {
      throw StintError(
        .usage,
        "OUT is missing; write stint run image \(input) OUT, or - with --format for standard output."
      )
    }
    // A hyphen is standard output by custom.
    return (input, output == "-" ? nil : output)
  }

  static let emptyPath = StintError(.usage, "The path of an image is empty.")
  static let standardInput = StintError(
    .usage,
    "An image cannot be read from standard input, because it could not be read again after a cut; "
      + "write it into a file first.")

  /// The filters, a background last.
  static func filters(_ parsed: ParsedOptions) -> [String] {
    parsed.texts("filter") + (parsed.text("background").map { ["flatten:\($0)"] } ?? [])
  }

  static func request(_ parsed: ParsedOptions, output: String?) throws -> OutputRequest {
    let request = try OutputRequest(
      format: parsed.text("format"), path: output,
      quality: parsed.integer("quality", in: 1...100), compression: parsed.text("compression"),
      tile: parsed.integer("tile", in: 16...4096), strip: parsed.text("strip"))
    if let trust = request.format.trust,
      try !UntrustedFormat.set(parsed.texts("trust")).contains(trust)
    {
      throw StintError(
        .usage,
        "\(trust.name) is only written for those who trust it, since nobody else can read it here.",
        remedies: [.trust(trust.rawValue)])
    }
    return request
  }
}

extension ImageWork: KindWork {
  func run(_ options: RunOptions, _ launch: Launch) throws {
    var options = options
    options.output = output
    options.terms.paths = ["source": !FilePath(input).isAbsolute]
    try ImageRun(work: self, launch: launch, options: options).run()
  }
}

/// `stint run image --list-filters`.
struct FilterList: KindWork {
  /// Reads a command line; nil if it asks for something else.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init?(_ parsed: ParsedOptions) throws {
    guard parsed.has("list-filters") else { return nil }
    guard parsed.operands.count <= 1 else {
      throw StintError(.usage, "--list-filters stands alone; leave the images out.")
    }
  }

  func run(_ options: RunOptions, _ launch: Launch) throws {
    let terminal = TerminalState.current(
      descriptor: STDOUT_FILENO, environment: launch.start.environment)
    try StandardOutput().write(
      options.display.json
        ? FilterCatalogue.json : FilterCatalogue.text(option: "--filter", width: terminal.columns))
  }
}
#endif
