#if Images
import StintCore
import StintRuntime
import StintTesting

@testable import StintImages

/// A kind of image file that a test makes, to cut it or to spoil it.
struct FileKind: Sendable {
  let name: String
  let saver: String
  var options: [String: VipsArgument] = [:]
  /// Whether it has one bit a sample.
  var isBitonal = false

  /// The kinds that are read without trust, and what stands in them.
  static let all: [FileKind] = [
    .init(name: "base.jpg", saver: "jpegsave"),
    .init(
      name: "progressive.jpg", saver: "jpegsave", options: ["interlace": .flag(true)]),
    .init(name: "plain.png", saver: "pngsave"),
    .init(name: "interlaced.png", saver: "pngsave", options: ["interlace": .flag(true)]),
    .init(name: "plain.gif", saver: "gifsave"),
    .init(name: "plain.tif", saver: "tiffsave"),
    .init(name: "lzw.tif", saver: "tiffsave", options: ["compression": .word("lzw")]),
    .init(name: "deflate.tif", saver: "tiffsave", options: ["compression": .word("deflate")]),
    .init(name: "jpeg.tif", saver: "tiffsave", options: ["compression": .word("jpeg")]),
    .init(
      name: "g4.tif", saver: "tiffsave",
      options: ["compression": .word("ccittfax4"), "bitdepth": .integer(1)], isBitonal: true),
    .init(
      name: "tiles.tif", saver: "tiffsave",
      options: ["tile": .flag(true), "tile-width": .integer(32), "tile-height": .integer(32)]),
    .init(
      name: "deflate-tiles.tif", saver: "tiffsave",
      options: [
        "tile": .flag(true), "tile-width": .integer(32), "tile-height": .integer(32),
        "compression": .word("deflate"),
      ]),
    .init(
      name: "jpeg-tiles.tif", saver: "tiffsave",
      options: [
        "tile": .flag(true), "tile-width": .integer(32), "tile-height": .integer(32),
        "compression": .word("jpeg"),
      ]),
    .init(name: "plain.webp", saver: "webpsave"),
    .init(name: "plain.avif", saver: "heifsave", options: ["compression": .word("av1")]),
  ]

  static func named(_ name: String) -> FileKind {
    guard let kind = all.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) is none of the kinds")
    }
    return kind
  }

  /// The bytes of such a file.
  func bytes(in folder: ImageFolder, _ width: Int = 71, _ height: Int = 67) throws -> [UInt8] {
    let image = try TestImage.image(width, height, bands: isBitonal ? 1 : 3, seed: 8)
    try folder.save(image, name, saver, options)
    return try folder.bytes(name)
  }
}

/// What became of a file: an image whose pixels have that checksum, or why there is none.
enum FileOutcome: Equatable {
  case made(Checksum128)
  case refused(StintError.Code)

  static func pixels(of image: [UInt8]) throws -> FileOutcome {
    .made(XXH3Checksum.digest(try ImageFile.pixels(image).pixels))
  }

  /// The work on one file alone.
  static func single(
    _ path: String, _ filter: String, streams: Bool, damaged: DamagePolicy = .refuse,
    format: String = "png"
  ) throws -> FileOutcome {
    do {
      let file = try SourceFile(path)
      let pipeline = try FilterPipeline(parsing: [filter])
      let plan = try ImagePlan(
        source: ImageSource(file, .init(damaged: damaged), thumbnail: pipeline.thumbnail),
        pipeline: pipeline, request: OutputRequest(format: format, path: nil), threads: 2)
      let workspace = MemoryWorkspace()
      try ImageComputation(
        plan, fingerprint: .none(of: file), streams: streams, deliver: { _, _ in }
      ).finishBySmallest(in: workspace)
      return try .pixels(of: workspace.file().bytes)
    } catch let error as StintError {
      return .refused(error.code)
    }
  }

  /// The work on files as a set, by their names.
  static func set(_ fixture: ImageSetFixture, heldBytes: Int) throws -> [String: FileOutcome] {
    let account = Protected<ImageSetAccount?>(nil)
    var (hooks, limits) = (ImageSetComputation.Hooks(), ImageSetComputation.Limits())
    hooks.finish = { found in account.withLock { $0 = found } }
    limits.heldBytes = heldBytes
    let workspace = MemoryWorkspace()
    do {
      try fixture.computation(hooks: hooks, limits: limits).finishAll(in: workspace, atMost: 1e9)
    } catch let error as StintError where error.code == .partlyFailed {}
    var outcomes: [String: FileOutcome] = [:]
    for failure in account.withLock({ $0 })?.failures ?? [] {
      outcomes[FilePath(failure.input).name.text] = .refused(failure.error.code)
    }
    for name in fixture.names where outcomes[name] == nil {
      outcomes[name] = try .pixels(of: fixture.outputs.bytes("\(name).\(fixture.format)"))
    }
    return outcomes
  }
}
#endif
