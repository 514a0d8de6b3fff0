#if Images
import StintRuntime
import StintCore
import StintTesting

@testable import StintImages

extension ChunkedComputation {
  /// Runs a chunk, the smallest that can be if nothing else is said; nil if nothing is left.
  func next(
    after state: State, in workspace: MemoryWorkspace, atMost cost: Double? = nil, threads: Int = 2
  ) throws -> State? {
    guard let next = outlook(of: state).next else { return nil }
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: threads)
    guard let chunk = try run(from: state, atMost: cost ?? next.smallest, in: context) else {
      throw StintError(.checkFailed, "a chunk gave up though nobody asked it to")
    }
    return chunk.state
  }

  /// The bytes of a checkpoint.
  func encoded(_ state: State) throws -> [UInt8] {
    var payload = CheckpointPayload()
    try encode(state, into: &payload)
    var bytes: [UInt8] = []
    payload.forEachSegment { bytes += $0 }
    return bytes
  }

  /// What a checkpoint gives back.
  func decoded(_ bytes: [UInt8], in workspace: MemoryWorkspace) throws -> State {
    try bytes.withUnsafeBytes { try decode($0, in: workspace) }
  }
}

extension ImageComputation {
  /// Runs to the end in one process, each chunk as small as it can be.
  func finishBySmallest(in workspace: MemoryWorkspace, threads: Int = 2) throws {
    var state = try start(in: workspace)
    while let next = try next(after: state, in: workspace, threads: threads) { state = next }
  }
}

extension StopFlag {
  static var raised: StopFlag {
    let flag = StopFlag()
    flag.raise()
    return flag
  }
}

extension CheckConditions {
  /// Cuts of the work on a small image.
  static func ofImages(streams: Bool) -> CheckConditions {
    var conditions = CheckConditions()
    conditions.histories = 6
    conditions.wholeTime = .seconds(4)
    conditions.checkpointEvery = .milliseconds(300)
    // The smallest images are done in one chunk or two.
    conditions.allowsUncutRuns = true
    // Who goes on after another process decodes the source into a file, and who streams does not.
    if streams { conditions.scratchFiles = [ImageGraph.decodedName] }
    return conditions
  }
}

/// Reads an image file that is in memory.
enum ImageFile {
  static func pixels(_ bytes: [UInt8]) throws -> (shape: ImageShape, pixels: [UInt8]) {
    if let plain = plain(bytes) { return plain }
    let (image, pixels) = try EncoderCase.read(bytes, ending: "image")
    return (image.shape, pixels)
  }

  /// A PPM of 8 bits, which libvips does not read from strangers: magic, sides, highest sample,
  /// pixels.
  private static func plain(_ bytes: [UInt8]) -> (shape: ImageShape, pixels: [UInt8])? {
    let fields = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3)
    guard fields.count == 4, Array(fields[0]) == Array("P6".utf8) else { return nil }
    let sides = fields[1].split(separator: UInt8(ascii: " ")).compactMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard sides.count == 2 else { return nil }
    let shape = TestImage.shape(sides[0], sides[1], bands: 3)
    return (shape, bytes.suffix(shape.sizeBytes))
  }
}
#endif
