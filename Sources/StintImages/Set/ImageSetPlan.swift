#if Images
package import StintRuntime
package import StintCore

/// Many images with one pipeline: what is read, what is done, and what the results are called.
///
/// Nothing of it is open: ten thousand inputs are ten thousand paths.
package struct ImageSetPlan: Sendable {
  /// One input and its result.
  package struct Item: Hashable, Sendable {
    /// The absolute path of the input.
    package var path: FilePath
    /// The result's path in the folder without number and ending.
    package var stem: FilePath
    /// The ending of the result's name, without its dot.
    package var ending: String
    package var request: OutputRequest

    package init(path: FilePath, stem: FilePath, ending: String, request: OutputRequest) {
      (self.path, self.stem, self.ending, self.request) = (path, stem, ending, request)
    }

    /// An input of which a damaged ledger tells only that it was there.
    static let unknown: Item = {
      guard let request = try? OutputRequest(format: OutputFormat.png.rawValue, path: nil) else {
        preconditionFailure("a PNG without options is no format")
      }
      return Item(path: "/", stem: "", ending: "", request: request)
    }()

    /// What tells it from all others of the set: the result's path in the folder, without a number.
    package var name: FilePath { "\(stem).\(ending)" }

    /// The path in the folder of what becomes of a frame.
    ///
    /// Every frame has its number, from 0 like that of `--page`, with the digits of the last one:
    /// so no input's name can be that of another one's frame.
    func name(frame: Int, of frames: Int) -> FilePath {
      let (number, last) = (String(frame), String(max(0, frames - 1)))
      let zeros = String(repeating: "0", count: max(0, last.count - number.count))
      return "\(stem)-\(zeros)\(number).\(ending)"
    }
  }

  /// What was named as an input and is none, or a folder of inputs that cannot be read: it fails,
  /// and the others go on.
  package struct Refused: Hashable, Sendable {
    /// What messages call it.
    package var name: String
    /// Its absolute path; nil if that is not UTF-8, so that it was never an input.
    ///
    /// Inputs at it or below it are out of sight, and not gone.
    package var path: FilePath?
    package var error: StintError

    package init(name: String, path: FilePath?, error: StintError) {
      (self.name, self.path, self.error) = (name, path, error)
    }

    /// The error with the name; most sentences have it themselves.
    package var full: StintError { error.message.holds(name) ? error : error.about(name) }
  }

  /// One image that is to be made: a frame of an input.
  package struct Unit: Hashable, Sendable {
    /// The input's place in the ledger.
    package var item: Int
    /// The frame; 0 where only one is wanted.
    package var frame: Int
  }

  /// By what the inputs of a set come to its parts.
  package enum Dealing: String, Hashable, Sendable {
    /// The parameter of a job that says so; a job without it deals by name.
    private static let parameter = "dealt"

    /// By the name of the result, with `--shard` by hand: an input stays in its part when the set
    /// grows, but parts differ in size.
    case byName
    /// In turn, by the places in a list that was made when the set was submitted.
    case inTurn

    /// Reads the parameters of a job.
    package init(_ parameters: [String: String]) {
      self = parameters[Self.parameter] == Self.inTurn.rawValue ? .inTurn : .byName
    }

    /// The parameters of a job that deals in this way.
    func parameters(_ parameters: JobParameters) -> JobParameters {
      guard self == .inTurn else { return parameters }
      return JobParameters(parameters.values.merging([Self.parameter: rawValue]) { $1 })
    }
  }

  /// What a plan for a part of a set knows of the whole.
  package struct Cut: Hashable, Sendable {
    /// Which part it is.
    package var shard: Shard
    /// The key of the job of the whole set.
    package var whole: String
    /// How many inputs the whole set has.
    package var count: Int
    /// Which of them this part has, from 1.
    package var numbers: [Int]
    package var dealing = Dealing.byName
  }

  /// What was asked for of all results, whatever the inputs are.
  package struct Output: Hashable, Sendable {
    /// The format with its options in one form.
    package var format: String
    /// What stands before the endings of all names.
    package var suffix: String

    package init(format: String, suffix: String) {
      (self.format, self.suffix) = (format, suffix)
    }
  }

  /// The inputs, in the order in which they are worked on.
  package private(set) var items: [Item]
  /// Which part of a set the inputs are; nil if they are all of it.
  package private(set) var cut: Cut?
  package let pipeline: FilterPipeline
  /// Which image of an input, if only one is wanted, and how it is taken.
  package private(set) var selection: ImageSource.Selection
  /// Whether each page or frame of an input becomes a file of its own.
  package let takesFrames: Bool
  /// What was asked for of all results.
  package let output: Output
  /// Which formats the user trusts, though libvips does not; no result depends on it.
  package var trusted: Set<UntrustedFormat> = []
  /// What fails before anything is made of it, of the whole set.
  package var refused: [Refused] = []

  /// Checks that no two results have the same name.
  ///
  /// - Parameters:
  ///   - items: The inputs, in order.
  ///   - pipeline: The filters.
  ///   - selection: Which image of each input, and how it is taken.
  ///   - takesFrames: Whether each page or frame becomes a file of its own.
  ///   - output: What was asked for of all results.
  /// - Throws: ``StintError`` with the code `usage`, naming the inputs.
  package init(
    items: [Item], pipeline: FilterPipeline, selection: ImageSource.Selection, takesFrames: Bool,
    output: Output
  ) throws(StintError) {
    self.items = items
    self.output = output
    self.pipeline = pipeline
    self.selection = selection
    self.takesFrames = takesFrames
    try Self.checkNames(of: items)
  }

  /// The same work on other inputs.
  ///
  /// - Throws: ``StintError`` with the code `usage` if two results have the same name.
  package func with(_ items: [Item]) throws(StintError) -> ImageSetPlan {
    try Self.checkNames(of: items)
    var plan = self
    plan.items = items
    return plan
  }

  /// The plan for a part of the set.
  ///
  /// Whether names collide was looked at for the whole. Without a list, the part of an image
  /// depends on the name of its result alone, so that it stays there when the set grows.
  ///
  /// - Parameters:
  ///   - shard: Which part.
  ///   - whole: The key of the job of the whole set.
  ///   - list: The list by which the inputs are dealt in turn; this plan has its inputs.
  /// - Returns: The plan.
  package func part(
    _ shard: Shard, of whole: String, in list: FrozenImageList? = nil
  ) -> ImageSetPlan {
    var part = self
    let numbers = items.indices.filter { index in
      list.map { $0.places[index] % shard.count == shard.number - 1 }
        ?? Self.has(items[index].name.text, shard)
    }
    part.items = numbers.map { items[$0] }
    part.cut = Cut(
      shard: shard, whole: whole, count: items.count, numbers: numbers.map { $0 + 1 },
      dealing: list == nil ? .byName : .inTurn)
    return part
  }

  private static func has(_ name: String, _ shard: Shard) -> Bool {
    let hash = XXH3Checksum.digest(Array(name.utf8)).low
    return hash % UInt64(shard.count) == UInt64(shard.number - 1)
  }

  /// What of the refused this part tells of.
  package var ownRefused: [Refused] {
    guard let cut else { return refused }
    switch cut.dealing {
    case .byName: return refused.filter { Self.has($0.name, cut.shard) }
    case .inTurn: return cut.shard.part(of: refused)
    }
  }

  /// Whether an input may be there all the same, if it is not in the list.
  func isOutOfSight(_ path: FilePath) -> Bool {
    refused.contains { $0.path.map(path.isWithin) ?? false }
  }

  /// The path of a result in the folder.
  ///
  /// - Parameters:
  ///   - item: The input.
  ///   - frame: Which of its frames.
  ///   - frames: How many it has.
  /// - Returns: The path below the folder.
  package func name(of item: Item, frame: Int, of frames: Int) -> FilePath {
    takesFrames ? item.name(frame: frame, of: frames) : item.name
  }

  /// What decides how results are made of inputs, whichever they are.
  ///
  /// Which inputs there are is what the set holds at the time, and so in the ledger.
  package var parameters: JobParameters {
    let parameters = JobParameters([
      "page": takesFrames ? "all" : String(selection.page),
      "orientation": selection.keepsOrientation ? "kept" : "applied",
      "pipeline": pipeline.canonicalText,
      "output": output.format,
      "suffix": output.suffix,
    ])
    guard let cut else { return parameters }
    return cut.dealing.parameters(cut.shard.parameters(parameters, of: cut.whole))
  }

  /// Reads what is common to all images of a job.
  ///
  /// - Parameters:
  ///   - record: What the job is.
  ///   - list: Its inputs, from its ledger.
  /// - Throws: ``StintError`` with the code `damaged` if the two do not belong together.
  package init(_ record: JobRecord, list: ImageSetLedger.List) throws(StintError) {
    let values = record.parameters
    guard record.kind == ImageSetComputation.kind, let page = values["page"],
      let orientation = values["orientation"], ["kept", "applied"].contains(orientation),
      let pipeline = values["pipeline"], page == "all" || Int(page).map({ $0 >= 0 }) ?? false,
      let format = values["output"], let suffix = values["suffix"]
    else {
      throw StintError(
        .damaged,
        "\(record.key) is of the kind \(record.kind) with parameters that this program cannot run; "
          + "run the same command again.")
    }
    try self.init(
      items: list.items, pipeline: FilterPipeline(parsing: pipeline.isEmpty ? [] : [pipeline]),
      selection: .init(page: Int(page) ?? 0, keepsOrientation: orientation == "kept"),
      takesFrames: page == "all", output: Output(format: format, suffix: suffix))
    (trusted, refused, selection.damaged) = (list.trusted, list.refused, list.damaged)
    cut = Shard(values).map { shard in
      Cut(
        shard: shard, whole: record.whole, count: list.wholeCount, numbers: list.numbers,
        dealing: Dealing(values))
    }
    guard parameters.values == values else {
      throw StintError(
        .damaged, "The ledger of \(record.key) is not the one that it was begun with.")
    }
  }
}
#endif
