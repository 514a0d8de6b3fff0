#if Images
import Glibc
import StintCommands
import StintCore
import StintImages
import StintRuntime

/// What `stint run image --output-dir` is to do with many images.
struct ImageSetWork: Sendable {
  /// What is read, done and written.
  var plan: ImageSetPlan
  /// The folder of the results, as the user gave it.
  var folder: String

  /// Which part of the plan is to be done; nil for all of it, or if the plan is that of the part.
  var shard: Shard?
  /// The list by which the part takes inputs in turn; nil if names decide.
  private(set) var frozen: FrozenImageList?
  /// Whether results are removed whose inputs the set has no more.
  var removesOrphans = false
  /// What is said of files that are left out.
  var notices: [Notice] = []
  /// What was found and is not in the plan yet; nil if the plan has all inputs.
  private var found: [ResultsOfSets.Input]?
  /// Whether results that would have the same name are numbered.
  private var isNumbered = false

  /// Reads what a job was made by.
  ///
  /// - Throws: ``StintError`` with the code `damaged`.
  init(_ record: JobRecord, jobsDirectory: String) throws {
    let bytes = try Self.ledger(of: record.key.description, in: jobsDirectory)
    guard let list = ImageSetLedger.list(in: bytes), let folder = record.outputPath?.text else {
      throw StintError(
        .damaged,
        "\(record.key) has no whole list of its inputs in partial/\(ImageSetLedger.fileName); run the "
          + "same command again.")
    }
    plan = try ImageSetPlan(record, list: list)
    self.folder = folder
  }

  /// The bytes of a job's ledger.
  static func ledger(of key: String, in jobsDirectory: String) throws(StintError) -> [UInt8] {
    try JobFileContents.bytes(of: "\(jobsDirectory)/\(key)/partial/\(ImageSetLedger.fileName)")
  }

  /// Reads and validates a command line.
  ///
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
    let suffix = parsed.text("suffix") ?? ""
    if suffix.contains("/") {
      throw StintError(
        .usage, "--suffix \"\(suffix.prefix(60))\" has a slash, which no file name can have.")
    }
    isNumbered = try Self.isNumbered(parsed)
    var names = ItemNames(parsed, suffix: suffix, surroundings: surroundings)
    plan = try ImageSetPlan(
      items: [], pipeline: FilterPipeline(parsing: ImageWork.filters(parsed)),
      selection: .init(
        page: page ?? 0, keepsOrientation: parsed.has("keep-orientation"),
        damaged: try DamagePolicy(word: parsed.text("damaged"))),
      takesFrames: takesFrames, output: try names.output)
    removesOrphans = parsed.has("delete-orphans")
    if shard != nil, let list = try FrozenImageList.ofChain() {
      (plan.trusted, plan.refused) = (try UntrustedFormat.set(parsed.texts("trust")), list.refused)
      plan = try plan.with(list.current)
      frozen = list
      return
    }
    let found = try ImageInputs(parsed, outside: folder)
    (plan.trusted, notices) = (found.trusted, [found.leftOut].compactMap { $0 })
    let inputs = try names.take(found, refusals: &plan.refused)
    self.found = inputs
  }

  /// Puts the inputs that were found into the plan, without those that are results of sets.
  ///
  /// It reads the folder of the jobs, which may be on a file server that does not answer.
  ///
  /// - Parameters:
  ///   - options: The options of the run.
  ///   - known: Inputs that keep the names of their results, as those of the job's ledger do.
  /// - Throws: ``StintError`` with the code `usage` if nothing is left, and for two results of one
  ///   name.
  mutating func complete(_ options: RunOptions, known: [ImageSetPlan.Item] = []) throws {
    guard var inputs = found else { return }
    found = nil
    let (jobsDirectory, fresh) = (options.jobsDirectory, options.fresh)
    let key = try whole(options)
    let results = try ResultsOfSets(near: inputs, of: key, in: jobsDirectory)
    let count = inputs.count
    inputs.removeAll(where: results.has)
    if let notice = ResultsOfSets.notice(of: count - inputs.count) {
      guard !inputs.isEmpty || !plan.refused.isEmpty else {
        throw StintError(.usage, "There is nothing to do: \(notice.message).")
      }
      notices.append(notice)
    }
    if inputs.isEmpty, let first = plan.refused.first { throw first.full }
    var items = inputs.map(\.item)
    if isNumbered {
      // Another part has another ledger, and all of them need the same numbers.
      let ledger = shard == nil && !fresh ? try? Self.ledger(of: key, in: jobsDirectory) : nil
      items = ImageSetPlan.numbered(
        items, known: known + (ledger.map { ImageSetLedger.items(in: $0) } ?? []),
        refused: plan.refused)
    }
    plan = try plan.with(items)
  }

  /// The key of the job of the whole set.
  ///
  /// That of another form stays if a job of the set was begun under it.
  func whole(_ options: RunOptions) throws -> String {
    if let cut = plan.cut { return cut.whole }
    let keys = options.forms(
      kind: ImageSetComputation.kind, parameters: plan.parameters,
      outputPath: try absoluteFolder
    ).keys
    guard keys.count > 1 else { return keys[0] }
    let begun = try JobCatalog(jobsDirectory: options.jobsDirectory)
      .records(ofKind: ImageSetComputation.kind).map(\.whole)
    return keys.first(where: begun.contains) ?? keys[0]
  }

  /// The folder of the results, by an absolute path.
  var absoluteFolder: FilePath {
    get throws { try OutputDestination(folder: folder).path ?? FilePath(folder) }
  }

  /// Whether results that would have the same name are numbered.
  private static func isNumbered(_ parsed: ParsedOptions) throws -> Bool {
    let word = parsed.text("on-collision") ?? "refuse"
    guard ["number", "refuse"].contains(word) else {
      throw StintError(
        .usage, "--on-collision \"\(word.prefix(60))\" is neither number nor refuse.")
    }
    return word == "number"
  }
}

extension ImageSetWork: KindWork {
  func run(_ options: RunOptions, _ launch: Launch) throws {
    var options = options
    options.outputFolder = folder
    // The ledger says what is done, and the next run looks whether it still stands.
    options.keep = true
    var run = ImageSetRun(work: self, launch: launch, options: options)
    try run.run()
  }
}

/// Paths, names and formats from what the user wrote.
private struct ItemNames: Sendable {
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

  /// What is asked for of all results: with its usual values if there is one format.
  var output: ImageSetPlan.Output {
    get throws {
      var options = ["quality", "compression", "tile", "strip"].compactMap { name in
        parsed.text(name).map { "\(name)=\($0.lowercased())" }
      }
      // As without it.
      options.removeAll { $0 == "strip=none" }
      let format =
        try parsed.text("format") == nil
        ? (["each"] + options).joined(separator: ":")
        : ImageWork.request(parsed, output: nil).canonicalText
      return .init(format: format, suffix: suffix)
    }
  }

  /// The inputs that were found, and where each is; what can be none is added to the refusals.
  mutating func take(
    _ found: ImageInputs, refusals: inout [ImageSetPlan.Refused]
  ) throws -> [ResultsOfSets.Input] {
    refusals = try found.refused.map { refused in
      .init(
        name: refused.name, path: try refused.path.map { try place($0) }, error: refused.error)
    }
    var inputs: [ResultsOfSets.Input] = []
    for input in found.inputs {
      if let error = refusal(of: input.path) {
        refusals.append(.init(name: input.path, path: try absolute(input.path), error: error))
        continue
      }
      inputs.append(
        .init(
          item: try item(input.path, below: input.folder),
          root: try input.root.map { try place($0) }))
    }
    return inputs
  }

  mutating func item(_ input: String, below folder: FilePath?) throws -> ImageSetPlan.Item {
    if input.isEmpty { throw ImageWork.emptyPath }
    if input == "-" { throw ImageWork.standardInput }
    let path = try absolute(input)
    let name = path.name.text
    let dot = name.dropFirst().lastIndex(of: ".")
    let ending = path.ending
    let request = try request(ending)
    let isKept = OutputFormat(named: ending) == request.format
    let stem: FilePath = "\(dot.map { name[..<$0] } ?? name[...])\(suffix)"
    return ImageSetPlan.Item(
      path: path, stem: folder?.appending(stem) ?? stem,
      ending: isKept ? ending : request.format.pathExtensions[0], request: request)
  }

  /// Why nothing can be made of an input, if its name says so.
  private func refusal(of input: String) -> StintError? {
    guard parsed.text("format") == nil, !input.isEmpty, input != "-",
      OutputFormat(named: FilePath(input).ending) == nil
    else { return nil }
    return StintError(
      .usage,
      "The extension of \(input) is not one of an output format; add --format with one of "
        + OutputFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".")
  }

  /// The format that `--format` or the input's own ending asks for.
  private mutating func request(_ ending: String) throws -> OutputRequest {
    let key = ending.lowercased()
    if let known = requests[key] { return known }
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

  /// The absolute path, with all links resolved as far as they can be.
  private mutating func place(_ path: String) throws -> FilePath {
    try resolved(absolute(path))
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

/// What sets of images have put where inputs are now, so that no set takes results for inputs.
///
/// A job that was removed is not known any more, and its results are files like others.
struct ResultsOfSets {
  /// An input, and the folder that was named, if it was found in one.
  struct Input {
    var item: ImageSetPlan.Item
    var root: FilePath?
  }

  private struct Known {
    var results: ImageSetResults
    /// Whether it is the set itself, or a part of it.
    var isOwn: Bool
    /// The named folders in which its results are none of the inputs.
    var roots: Set<FilePath>
  }

  private let sets: [Known]

  /// Reads the ledgers of those sets whose folders have inputs in them.
  ///
  /// - Parameters:
  ///   - inputs: What was found.
  ///   - key: The key of the job of the whole set.
  ///   - jobsDirectory: Where jobs are.
  /// - Throws: ``StintError`` if that cannot be.
  init(near inputs: [Input], of key: String, in jobsDirectory: String) throws {
    let folders = Set(inputs.compactMap(\.item.path.folder))
    let roots = Set(inputs.compactMap(\.root))
    let catalog = try JobCatalog(jobsDirectory: jobsDirectory)
    sets = catalog.records(ofKind: ImageSetComputation.kind).compactMap { record in
      let isOwn = record.whole == key
      guard let folder = record.outputPath, isOwn || !roots.isEmpty,
        folders.contains(where: { $0.isWithin(folder) }),
        let bytes = try? ImageSetWork.ledger(of: record.key.description, in: jobsDirectory),
        let results = ImageSetResults(bytes, of: record)
      else { return nil }
      // A folder of results that is named itself is meant, unless its inputs are there, too.
      let excluding = roots.filter { root in
        !root.isWithin(folder) || results.inputs.contains { $0.isWithin(root) }
      }
      return Known(results: results, isOwn: isOwn, roots: excluding)
    }
  }

  /// Whether an input is a result of the set itself, or was found in a folder and is one of another
  /// set.
  func has(_ input: Input) -> Bool {
    sets.contains { set in
      (set.isOwn || input.root.map(set.roots.contains) ?? false)
        && set.results.contains(input.item.path)
    }
  }

  /// What is said of results that are left out; nil if there are none.
  static func notice(of count: Int) -> Notice? {
    guard count > 0 else { return nil }
    return Notice(
      count == 1
        ? "1 input is a result of this set or of another one and is left out"
        : "\(count) inputs are results of this set or of another one and are left out")
  }
}
#endif
