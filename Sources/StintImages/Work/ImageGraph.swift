#if Images
import StintRuntime
import StintCore

/// The lazy graphs of libvips over a job's partial files, and the decoder that is under way.
///
/// All of it is a cache: a process that finds nothing here builds it again, and what comes out is
/// the same. The state of the work is in ``ImageState`` alone.
final class ImageGraph: Sendable {
  private struct Cache {
    var decoder: SequentialDecoder?
    /// The evaluation of the whole pipeline over the source as it is decoded.
    var stream: SequentialDecoder?
    /// The file of decoded pixels that the base looks into.
    var file: (any PartialFile)?
    var base: VipsImage?
    /// The last graph, and how many filters it has with how many statistics.
    var built: (filters: Int, image: VipsImage)?
    /// Memory that a band or strip was made in.
    var memory: PixelMemory?
    /// The phases of which a chunk was run.
    var phases: Set<String> = []
  }

  /// The file of decoded pixels.
  static let decodedName = "decoded"

  private let source: ImageSource
  private let pipeline: FilterPipeline
  private let cache = Protected(Cache())
  /// What the last checkpoint counts on in the partial files.
  let saved = SavedOutput()

  init(source: ImageSource, pipeline: FilterPipeline) {
    self.source = source
    self.pipeline = pipeline
  }

  // MARK: Decoding

  /// The row that the decoder under way gives next; nil if there is none.
  var decoderRow: Int? { cache.withLock { $0.decoder?.row } }

  /// Decodes some rows into the buffer; of a source that is decoded from its beginning, those
  /// before them are passed over.
  ///
  /// - Parameters:
  ///   - rows: The rows that are wanted.
  ///   - buffer: Room for them.
  ///   - threads: How many threads decode strips that can be decoded one by one.
  ///   - stopFlag: Looked at while rows are passed over, and between strips.
  /// - Returns: False if the flag was seen first.
  /// - Throws: ``StintError`` with the code `damaged`, naming the source.
  func decode(
    _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer, threads: Int = 1,
    stopFlag: StopFlag
  ) throws -> Bool {
    precondition(
      buffer.count >= rows.count * source.storedShape.rowBytes, "there is room for the rows")
    if let strips = source.strips {
      return try source.naming {
        try strips.decode(rows, into: buffer, threads: threads, stopFlag: stopFlag)
      }
    }
    let decoder = try take(for: rows.lowerBound)
    while decoder.row < rows.lowerBound {
      if stopFlag.isRaised {
        put(decoder)
        return false
      }
      let passed = decoder.row..<min(decoder.row + Self.passedRows, rows.lowerBound)
      try source.naming { try decoder.read(passed, into: nil) }
    }
    try source.naming { try decoder.read(rows, into: buffer.baseAddress) }
    if rows.upperBound < source.storedShape.height {
      put(decoder)
    } else {
      try finish(decoder)
    }
    return true
  }

  /// Closes a decoder that has given its last row, and looks whether the file was damaged.
  ///
  /// - Throws: ``StintError`` with the code `damaged`, naming the source.
  func finish(_ decoder: SequentialDecoder) throws {
    try source.naming { try decoder.finish() }
    try source.checkDecoded()
  }

  // MARK: Streams

  /// The row of the result that the stream under way gives next; nil if there is none.
  var streamRow: Int? { cache.withLock { $0.stream?.row } }

  /// Takes the stream that gives a row of the result next; at the first row it may be a new one.
  ///
  /// - Throws: ``StintError``: `damaged`, `mismatch` if the source is not what it was.
  func stream(at row: Int) throws -> SequentialDecoder {
    if let kept = cache.withLock({ $0.stream.take() }), kept.row == row { return kept }
    precondition(row == 0, "a stream begins with the first row")
    let base = try source.upright(try source.openSequentially())
    return SequentialDecoder(try pipeline.graph(over: base))
  }

  /// Keeps a stream for the next chunk.
  func keep(_ stream: SequentialDecoder) {
    cache.withLock { $0.stream = stream }
  }

  /// How many rows are passed over between two looks at the stop flag.
  private static let passedRows = 64

  private func take(for row: Int) throws(StintError) -> SequentialDecoder {
    if let kept = cache.withLock({ $0.decoder.take() }), kept.row <= row { return kept }
    return SequentialDecoder(try source.openSequentially())
  }

  private func put(_ decoder: SequentialDecoder) {
    cache.withLock { $0.decoder = decoder }
  }

  // MARK: Filters

  /// The image after that many filters.
  ///
  /// - Parameters:
  ///   - count: How many filters.
  ///   - statistics: Those of the filters that want some, in order.
  ///   - workspace: Where the decoded pixels are, if there are any.
  /// - Returns: A lazy image.
  /// - Throws: ``StintError``: `damaged` if decoded pixels are missing, `mismatch` if the source
  ///   was changed.
  func image(
    after count: Int, statistics: [FilterStatistics], in workspace: any Workspace
  ) throws -> VipsImage {
    let base = try base(in: workspace)
    if let built = cache.withLock({ $0.built }), built.filters == count { return built.image }
    let image = try pipeline.graph(over: base, statistics: statistics, steps: count)
    cache.withLock { $0.built = (count, image) }
    return image
  }

  /// The upright source with any region at hand.
  private func base(in workspace: any Workspace) throws -> VipsImage {
    if source.hasRandomAccess {
      let pixels = try source.randomPixels()
      return try cached(file: nil) { try turned(source.upright(pixels)) }
    }
    let file = try workspace.partialFile(named: Self.decodedName)
    return try cached(file: file) {
      try turned(source.upright(try PixelFile.image(of: file, shape: source.storedShape)))
    }
  }

  /// The upright source for one evaluation of all of it.
  ///
  /// - Parameter inOrder: Whether it is looked at once, from top to bottom; else it is decoded into
  ///   memory first, unless any region of it is at hand.
  /// - Returns: The image.
  /// - Throws: ``StintError``: `damaged`, `mismatch` if the source is not what it was.
  func wholeBase(inOrder: Bool) throws -> VipsImage {
    if source.hasRandomAccess {
      return try turned(source.upright(source.randomPixels()))
    }
    let pixels = try source.openSequentially()
    return try turned(source.upright(inOrder ? pixels : pixels.inMemory()))
  }

  /// The pixels of a turned image in memory.
  ///
  /// Its rows are columns of the stored one: filters, which ask for few rows at a time, would go
  /// through all of it for each. That took three times as long as the filters.
  private func turned(_ image: VipsImage) throws -> VipsImage {
    guard source.isTurned, image.sizeBytes <= Self.turnedBytes else { return image }
    return try image.inMemory()
  }

  /// A turned image of more than this is read through the graph, so that memory does not grow with
  /// it.
  static let turnedBytes = 128 << 20

  private func cached(
    file: (any PartialFile)?, _ make: () throws -> VipsImage
  ) throws -> VipsImage {
    if let base = cache.withLock({ $0.file === file ? $0.base : nil }) { return base }
    let base = try make()
    cache.withLock { cache in
      (cache.file, cache.base, cache.built) = (file, base, nil)
    }
    return base
  }

  // MARK: Memory

  /// Lends memory for a band or strip: that of the one before if it is large enough, whose pages
  /// are there already.
  ///
  /// - Parameters:
  ///   - sizeBytes: How much is needed.
  ///   - body: Gets exactly that many bytes, which hold anything.
  /// - Returns: What the body returns.
  func lend<Result>(
    _ sizeBytes: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let kept = cache.withLock { $0.memory.take() }
    let memory =
      kept.flatMap { $0.buffer.count >= sizeBytes ? $0 : nil } ?? PixelMemory(unsetBytes: sizeBytes)
    defer { cache.withLock { $0.memory = memory } }
    return try body(UnsafeMutableRawBufferPointer(rebasing: memory.buffer.prefix(sizeBytes)))
  }

  // MARK: Phases

  /// Whether this process has run a chunk of a phase; else the time of other phases says little of
  /// it.
  func knows(_ phase: String) -> Bool {
    cache.withLock { $0.phases.contains(phase) }
  }

  /// Remembers that a chunk of a phase was run.
  func ran(_ phase: String) {
    cache.withLock { _ = $0.phases.insert(phase) }
  }
}
#endif
