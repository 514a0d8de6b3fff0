#if Images
import Glibc
import StintRuntime
import StintCommands
import StintCore
import StintImages

/// What `stint run image --output-dir` is to do with many images.
struct ImageSetWork: Sendable {
  /// What is read, done and written.
  var plan: ImageSetPlan
  /// The folder of the results, as the user gave it.
  var folder: String

  /// Which part of the plan is to be done; nil for all of it, or if the plan is that of the part.
  var shard: Shard?

  /// Reads what a job was made by.
  ///
  /// - Parameters:
  ///   - record: What the job is.
  ///   - jobsDirectory: Where its ledger is.
  /// - Throws: ``StintError`` with the code `damaged`.
  init(_ record: JobRecord, jobsDirectory: String) throws {
    let path = "\(jobsDirectory)/\(record.key)/partial"
    let fileSystem = PosixFileSystem()
    let partial = try fileSystem.openDirectory(at: path)
    defer { fileSystem.close(partial) }
    let file = try fileSystem.openFile(ImageSetLedger.fileName, in: partial, .read)
    defer { fileSystem.close(file) }
    let bytes = try fileSystem.readBytes(file, atMost: .max)
    guard let items = ImageSetLedger.items(in: bytes), let folder = record.outputPath?.text else {
      throw StintError(
        .damaged, "\(record.key) has no whole list of its inputs; run the same command again.")
    }
    plan = try ImageSetPlan(record, items: items)
    self.folder = folder
  }

  /// Reads and validates a command line.
  ///
  /// - Parameters:
  ///   - parsed: The command line.
  ///   - surroundings: What relative paths begin at.
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions, in surroundings: Surroundings) throws {
    folder = parsed.text("output-dir") ?? ""
    shard = try parsed.shard("shard")
    if parsed.has("output") {
      throw StintError(.usage, "Give either --output FILE or --output-dir DIR, not both.")
    }
    let takesFrames = parsed.has("frames")
    let page = try parsed.integer("page", in: 0...100_000)
    if takesFrames, let page {
      throw StintError(
        .usage, "--page \(page) takes one page and --frames takes all of them; give one.")
    }
    // The first operand is the word "image".
    let inputs = Array(parsed.operands.dropFirst())
    guard !inputs.isEmpty else {
      throw StintError(
        .usage,
        "The inputs are missing; write, for example: stint run image *.png --output-dir out "
          + "--filter invert.")
    }
    let suffix = parsed.text("suffix") ?? ""
    if suffix.contains("/") {
      throw StintError(
        .usage, "--suffix \"\(suffix.prefix(60))\" has a slash, which no file name can have.")
    }
    var names = ItemNames(parsed, suffix: suffix, surroundings: surroundings)
    plan = try ImageSetPlan(
      items: inputs.map { try names.item($0) },
      pipeline: FilterPipeline(parsing: ImageWork.filters(parsed)),
      selection: .init(page: page ?? 0, keepsOrientation: parsed.has("keep-orientation")),
      takesFrames: takesFrames)
  }
}

extension ImageSetWork: KindWork {
  func run(_ options: RunOptions, _ launch: Launch) throws {
    var run = ImageSetRun(work: self, launch: launch, options: options)
    try run.run()
  }
}

/// Paths, names and formats from what the user wrote.
private struct ItemNames {
  let parsed: ParsedOptions
  let suffix: String
  let surroundings: Surroundings
  /// The formats that endings stand for.
  private var requests: [String: OutputRequest] = [:]
  /// Folders without links.
  private var folders: [FilePath: FilePath] = [:]

  init(_ parsed: ParsedOptions, suffix: String, surroundings: Surroundings) {
    (self.parsed, self.suffix, self.surroundings) = (parsed, suffix, surroundings)
  }

  mutating func item(_ input: String) throws -> ImageSetPlan.Item {
    guard !input.isEmpty else { throw StintError(.usage, "The path of an image is empty.") }
    guard input != "-" else {
      throw StintError(
        .usage,
        "An image cannot be read from standard input, because it could not be read again after a cut; write "
          + "it into a file first.")
    }
    let path = try absolute(input)
    let name = path.name.text
    let dot = name.dropFirst().lastIndex(of: ".")
    let ending = dot.map { String(name[name.index(after: $0)...]) } ?? ""
    let request = try request(ending, of: input)
    let isKept = OutputFormat(named: ending) == request.format
    return ImageSetPlan.Item(
      path: path, stem: "\(dot.map { name[..<$0] } ?? name[...])\(suffix)",
      ending: isKept ? ending : request.format.pathExtensions[0], request: request)
  }

  /// The format that `--format` or the input's own ending asks for.
  private mutating func request(_ ending: String, of input: String) throws -> OutputRequest {
    let key = ending.lowercased()
    if let known = requests[key] { return known }
    if parsed.text("format") == nil, OutputFormat(named: key) == nil {
      throw StintError(
        .usage,
        "The extension of \(input) is not one of an output format; add --format with one of "
          + OutputFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    let request = try ImageWork.request(parsed, output: "image.\(key)")
    requests[key] = request
    return request
  }

  /// The absolute path, with the links of its folder resolved; the file itself may be one, and has
  /// its name from it.
  private mutating func absolute(_ input: String) throws -> FilePath {
    let whole = try surroundings.absolute(input)
    guard let folder = whole.folder else { return whole }
    if let known = folders[folder] { return known.appending(whole.name) }
    let real = try resolved(folder)
    folders[folder] = real
    return real.appending(whole.name)
  }

  /// A folder that is not there is told when its image is opened.
  private func resolved(_ folder: FilePath) throws(StintError) -> FilePath {
    do throws(StintError) {
      return try folder.resolved()
    } catch  where error.errno != 0 {
      return folder
    }
  }
}
#endif
