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
    /// The result's name in the folder without number and ending.
    package var stem: FilePath
    /// The ending of the result's name, without its dot.
    package var ending: String
    /// The format of the result.
    package var request: OutputRequest

    package init(path: FilePath, stem: FilePath, ending: String, request: OutputRequest) {
      (self.path, self.stem, self.ending, self.request) = (path, stem, ending, request)
    }
  }

  /// One image that is to be made: a frame of an input.
  package struct Unit: Hashable, Sendable {
    /// The input's place in the list.
    package var item: Int
    /// The frame; 0 where only one is wanted.
    package var frame: Int
  }

  /// What a plan for a part of a set knows of the whole.
  package struct Cut: Hashable, Sendable {
    /// Which part it is.
    package var shard: Shard
    /// The key of the job of the whole set.
    package var whole: String
    /// How many inputs the whole set has.
    package var count: Int
  }

  /// The inputs, in the order in which they are worked on.
  package private(set) var items: [Item]
  /// Which part of a set the inputs are; nil if they are all of it.
  package private(set) var cut: Cut?
  /// The filters.
  package let pipeline: FilterPipeline
  /// Which image of an input, if only one is wanted, and how it is taken.
  package let selection: ImageSource.Selection
  /// Whether each page or frame of an input becomes a file of its own.
  package let takesFrames: Bool

  /// Checks that no two results have the same name.
  ///
  /// - Parameters:
  ///   - items: The inputs, in order.
  ///   - pipeline: The filters.
  ///   - selection: Which image of each input, and how it is taken.
  ///   - takesFrames: Whether each page or frame becomes a file of its own.
  /// - Throws: ``StintError`` with the code `usage`, naming both inputs.
  package init(
    items: [Item], pipeline: FilterPipeline, selection: ImageSource.Selection, takesFrames: Bool
  ) throws(StintError) {
    self.items = items
    self.pipeline = pipeline
    self.selection = selection
    self.takesFrames = takesFrames
    var owners: [FilePath: Int] = [:]
    for (index, item) in items.enumerated() {
      guard let other = owners.updateValue(index, forKey: "\(item.stem).\(item.ending)") else {
        continue
      }
      throw StintError(
        .usage,
        items[other].path == item.path
          ? "The input \(item.path) is given twice; name it once."
          : "The results of \(items[other].path) and \(item.path) would both be "
            + "\(item.stem).\(item.ending); give them folders of their own, in two runs.")
    }
  }

  /// The plan for a part of the set.
  ///
  /// Whether names collide was looked at for the whole.
  ///
  /// - Parameters:
  ///   - shard: Which part.
  ///   - folder: Where the results of the whole set go.
  /// - Returns: The plan.
  package func part(_ shard: Shard, into folder: FilePath) -> ImageSetPlan {
    var part = self
    part.items = shard.part(of: items)
    part.cut = Cut(shard: shard, whole: key(into: folder), count: items.count)
    return part
  }

  /// The key of the job of the whole set.
  package func key(into folder: FilePath) -> String {
    cut?.whole
      ?? JobKey(kind: ImageSetComputation.kind, parameters: parameters, outputPath: folder)
      .description
  }

  /// The name of a result in the folder.
  ///
  /// Every frame has its number, from 0 like that of `--page`, with the digits of the last one: so
  /// no input's name can be that of another one's frame.
  ///
  /// - Parameters:
  ///   - unit: Which image.
  ///   - frames: How many frames its input has.
  /// - Returns: The name without a folder.
  package func name(of unit: Unit, frames: Int) -> String {
    let item = items[unit.item]
    guard takesFrames else { return "\(item.stem).\(item.ending)" }
    let (number, last) = (String(unit.frame), String(max(0, frames - 1)))
    let zeros = String(repeating: "0", count: max(0, last.count - number.count))
    return "\(item.stem)-\(zeros)\(number).\(item.ending)"
  }

  /// What decides the results: the pipeline, and the paths, names and formats in order.
  ///
  /// Contents are not part of it: reading ten thousand photographs for their checksums would take
  /// longer than many a stint. ``ImageSetLedger`` holds what every input was when the work began,
  /// and refuses one that is not that any more.
  var parameters: JobParameters {
    let list = items.map {
      "\($0.path)\0\($0.stem)\0\($0.ending)\0\($0.request.canonicalText)\n"
    }.joined()
    let outputs = Set(items.map(\.request.canonicalText)).sorted()
    let parameters = JobParameters([
      "count": String(items.count),
      "inputsXXH3": XXH3Checksum.digest(Array(list.utf8)).description,
      "page": takesFrames ? "all" : String(selection.page),
      "orientation": selection.keepsOrientation ? "kept" : "applied",
      "pipeline": pipeline.canonicalText,
      "output": outputs.joined(separator: " "),
    ])
    guard let cut else { return parameters }
    return cut.shard.parameters(
      JobParameters(parameters.values.merging([Self.wholeCount: String(cut.count)]) { $1 }),
      of: cut.whole)
  }

  /// The parameter of a part that says how many inputs the whole set has.
  private static let wholeCount = "wholeCount"

  /// Reads what is common to all images of a job.
  ///
  /// - Parameters:
  ///   - record: What the job is.
  ///   - items: Its inputs, from its ledger.
  /// - Throws: ``StintError`` with the code `damaged` if the two do not belong together.
  package init(_ record: JobRecord, items: [Item]) throws(StintError) {
    let values = record.parameters
    guard record.kind == ImageSetComputation.kind, let page = values["page"],
      let orientation = values["orientation"], ["kept", "applied"].contains(orientation),
      let pipeline = values["pipeline"], page == "all" || Int(page).map({ $0 >= 0 }) ?? false
    else {
      throw StintError(
        .damaged,
        "\(record.key) is of the kind \(record.kind) with parameters that this program cannot run.")
    }
    try self.init(
      items: items, pipeline: FilterPipeline(parsing: pipeline.isEmpty ? [] : [pipeline]),
      selection: .init(page: Int(page) ?? 0, keepsOrientation: orientation == "kept"),
      takesFrames: page == "all")
    cut = Shard(values).flatMap { shard in
      values[Self.wholeCount].flatMap { Int($0) }.map { count in
        Cut(shard: shard, whole: record.whole, count: count)
      }
    }
    guard parameters.values == values else {
      throw StintError(
        .damaged, "The list of inputs of \(record.key) is not the one that it was begun with.")
    }
  }
}
#endif
