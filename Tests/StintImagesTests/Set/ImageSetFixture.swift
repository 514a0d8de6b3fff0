#if Images
import StintRuntime
import StintCore
import StintTesting

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
  /// Sets of an older version that go on in this one.
  var earlier: [EarlierImageSet] = []

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
      try inputs.save(TestImage.image(shape, seed: UInt64(index)), name, "pngsave")
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

  func plan(format: String = "png") throws -> ImageSetPlan {
    try ImageSetPlan(
      items: names.map { name in
        ImageSetPlan.Item(
          path: FilePath(inputs.path(name)),
          stem: FilePath(name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)),
          ending: format,
          request: try OutputRequest(format: format, path: nil))
      },
      pipeline: FilterPipeline(parsing: filters), selection: .init(), takesFrames: takesFrames,
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
      removesOrphans: removesOrphans, earlier: earlier, hooks: hooks, limits: limits)
  }

  /// What a run over one input alone makes of it.
  func expected(_ name: String, page: Int = 0) throws -> [UInt8] {
    let file = try SourceFile(inputs.path(name))
    let pipeline = try FilterPipeline(parsing: filters)
    let plan = try ImagePlan(
      source: ImageSource(file, .init(page: page), thumbnail: pipeline.thumbnail),
      pipeline: pipeline,
      request: OutputRequest(format: "png", path: nil), threads: 2)
    let workspace = MemoryWorkspace()
    try ImageComputation(plan, fingerprint: .none(of: file), deliver: { _, _ in })
      .finishBySmallest(in: workspace)
    return workspace.file(ImageComputation.resultName).bytes
  }
}

extension ImageSetComputation {
  /// Runs a chunk; nil if nothing is left.
  func next(
    after state: ImageSetState, in workspace: MemoryWorkspace, atMost cost: Double? = nil
  ) throws -> ImageSetState? {
    guard let next = outlook(of: state).next else { return nil }
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: 2)
    guard let chunk = try run(from: state, atMost: cost ?? next.smallest, in: context) else {
      throw StintError(.checkFailed, "a chunk gave up though nobody asked it to")
    }
    return chunk.state
  }

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

  func encoded(_ state: ImageSetState) throws -> [UInt8] {
    var payload = CheckpointPayload()
    try encode(state, into: &payload)
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    return bytes
  }

  func decoded(_ bytes: [UInt8], in workspace: MemoryWorkspace) throws -> ImageSetState {
    try bytes.withUnsafeBytes { try decode($0, in: workspace) }
  }
}
#endif
