#if Images
import StintRuntime
import StintCore

@testable import StintImages

/// Work on a small image that a test made.
struct ImageFixture {
  let folder: ImageFolder
  let plan: ImagePlan
  /// Whether the computations filter the source while they decode it.
  var streams: Bool
  let fingerprint = SourceFingerprint(sizeBytes: 1, checksum: Checksum128(high: 2, low: 3))

  /// Makes a source file and decides what becomes of it.
  init(
    _ shape: ImageShape, saver: String = "pngsave",
    options: [String: VipsArgument] = [:], edits: [MetadataEdit] = [], filters: [String] = [],
    output: String = "png", tile: Int? = nil, compression: String? = nil, streams: Bool = false,
    isDamaged: Bool = false
  ) throws {
    self.streams = streams
    folder = try ImageFolder()
    let image = try TestImage.image(shape, seed: 1)
    try folder.save(edits.isEmpty ? image : image.editing(edits), "source", saver, options)
    if isDamaged {
      let bytes = try folder.bytes("source")
      let half = bytes.count / 2
      try folder.write(bytes.prefix(half) + [UInt8](repeating: 0xFF, count: half), "source")
    }
    let pipeline = try FilterPipeline(parsing: filters)
    let source = try ImageSource(SourceFile(folder.path("source")), thumbnail: pipeline.thumbnail)
    plan = try ImagePlan(
      source: source, pipeline: pipeline,
      request: OutputRequest(format: output, path: nil, compression: compression, tile: tile),
      threads: 2, stripBytes: 20_000)
  }

  func computation(staysBetweenStints: Bool = false) -> ImageComputation {
    ImageComputation(
      plan, fingerprint: fingerprint, staysBetweenStints: staysBetweenStints, streams: streams,
      deliver: { _, _ in })
  }

  /// What libvips makes of the whole image at once.
  func expectedPixels() throws -> [UInt8] {
    var statistics: [FilterStatistics] = []
    let stored =
      plan.source.thumbnail == nil
      ? try VipsImage(.path(plan.source.file.descriptorPath), access: .random)
      : try plan.source.openSequentially().inMemory()
    let source = try plan.source.upright(stored)
    for step in plan.pipeline.statisticsSteps {
      let input = try plan.pipeline.graph(over: source, statistics: statistics, steps: step)
      var found = try FilterStatistics(for: input.shape)
      try found.collect(from: input, rows: 0..<input.height)
      statistics.append(found)
    }
    return try plan.pipeline.graph(over: source, statistics: statistics).pixels()
  }

  /// What is left of pixels that libvips writes as AVIF: it changes some even where nothing is to
  /// be lost.
  func writtenAsAVIF(_ pixels: [UInt8]) throws -> [UInt8] {
    let image = try VipsImage(samples: pixels, shape: plan.resultShape)
    let path = try folder.save(
      image, "written", "heifsave", ["compression": .word("av1"), "lossless": .flag(true)])
    return try VipsImage(.path(path), access: .sequential).pixels()
  }
}
#endif
