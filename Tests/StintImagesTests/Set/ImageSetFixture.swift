#if Images
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

/// Several images in a folder, and another folder for what becomes of them.
struct ImageSetFixture {
  let inputs: ImageFolder
  let outputs: ImageFolder
  var names: [String]
  let filters: [String]
  let takesFrames: Bool
  /// Whether the large one is filtered while it is decoded.
  var streams = false
  /// Whether results are removed whose inputs are gone.
  var removesOrphans = false
  /// Whether the journal knows of results that the ledger does not tell of.
  var lacksLines = false
  /// What the results are.
  var format = "png"
  /// Whether the names of results begin with those of their inputs, endings included.
  var keepsNames = false
  /// What is done about damaged files.
  var damaged = DamagePolicy.refuse

  /// Images of a few sizes, the second of which is worked on band by band.
  init(count: Int = 5, filters: [String] = ["gaussian-blur:1", "invert"]) throws {
    inputs = try ImageFolder()
    outputs = try ImageFolder()
    self.filters = filters
    takesFrames = false
    names = (0..<count).map { "\($0).png" }
    for (index, name) in names.enumerated() {
      let shape =
        index == 1
        ? TestImage.shape(331, 1317, bands: 3)
        : TestImage.shape(40 + 7 * index, 90 - 11 * (index % 8), bands: 1 + 2 * (index % 2))
      try inputs.save(TestImage.image(shape, seed: UInt64(index)), name)
    }
  }

  /// Images that a test made itself.
  init(
    _ inputs: ImageFolder, _ names: [String], filters: [String] = ["invert"],
    takesFrames: Bool = false
  ) throws {
    self.inputs = inputs
    outputs = try ImageFolder()
    self.names = names
    self.filters = filters
    self.takesFrames = takesFrames
  }

  func plan(format: String? = nil) throws -> ImageSetPlan {
    let format = format ?? self.format
    return try ImageSetPlan(
      items: names.map { name in
        ImageSetPlan.Item(
          path: FilePath(inputs.path(name)),
          stem: FilePath(
            keepsNames ? name[...] : name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)),
          ending: format, request: try OutputRequest(format: format, path: nil))
      },
      pipeline: FilterPipeline(parsing: filters), selection: .init(damaged: damaged),
      takesFrames: takesFrames,
      output: .init(format: format, suffix: ""))
  }

  func computation(
    force: Bool = false, hooks: ImageSetComputation.Hooks = .init(),
    limits: ImageSetComputation.Limits = .init()
  ) throws -> ImageSetComputation {
    var limits = limits
    limits.pixelBytes = 200_000
    limits.stripBytes = 100_000
    return try ImageSetComputation(
      plan(), into: outputs.path, replacesOthers: force, threads: 2, streams: streams,
      removesOrphans: removesOrphans, lacksLines: lacksLines, hooks: hooks,
      limits: limits)
  }

  /// What a run over one input alone makes of it.
  func expected(_ name: String, page: Int = 0) throws -> [UInt8] {
    let file = try SourceFile(inputs.path(name))
    let pipeline = try FilterPipeline(parsing: filters)
    let plan = try ImagePlan(
      source: ImageSource(file, .init(page: page), thumbnail: pipeline.thumbnail),
      pipeline: pipeline, request: OutputRequest(format: "png", path: nil), threads: 2)
    let workspace = MemoryWorkspace()
    try ImageComputation(plan, fingerprint: .none(of: file), deliver: { _, _ in })
      .finishBySmallest(in: workspace)
    return workspace.file().bytes
  }

  /// Expects of each result the bytes that a run over its input alone makes.
  func expectAll(_ location: SourceLocation = #_sourceLocation) throws {
    for name in names {
      #expect(try outputs.bytes(name) == expected(name), "\(name)", sourceLocation: location)
    }
  }

  /// Runs to the end in a process of its own.
  ///
  /// - Returns: The inputs of which something was made, and the account.
  @discardableResult
  func finish(
    in workspace: MemoryWorkspace, atMost cost: Double? = 1e9,
    _ change: (inout ImageSetComputation.Hooks) -> Void = { _ in }
  ) throws -> (made: [String], account: ImageSetAccount) {
    let made = Protected<[String]>([])
    let account = Protected<ImageSetAccount?>(nil)
    var hooks = ImageSetComputation.Hooks()
    hooks.tell = { event in
      if case .done(let input, _, _) = event {
        made.withLock { $0.append(FilePath(input).name.text) }
      }
    }
    hooks.finish = { found in account.withLock { $0 = found } }
    change(&hooks)
    try computation(hooks: hooks).finishAll(in: workspace, atMost: cost)
    return (made.withLock { $0.sorted() }, try #require(account.withLock { $0 }))
  }
}

extension ImageSetComputation {
  /// Runs to the end in one process.
  func finishAll(in workspace: MemoryWorkspace, atMost cost: Double? = nil) throws {
    try goOn(from: start(in: workspace), in: workspace, atMost: cost)
  }

  func goOn(
    from state: ImageSetState, in workspace: MemoryWorkspace, atMost cost: Double? = nil
  ) throws {
    var state = state
    while let next = try next(after: state, in: workspace, atMost: cost) { state = next }
    try finish(state, in: workspace)
  }
}
#endif
