#if Images
package import StintCore
import StintRuntime

/// A format to write with all of its options: what the user asked for, and the usual values for the
/// rest.
package struct OutputRequest: Hashable, Sendable {
  /// The format with the options that it has.
  enum Options: Hashable, Sendable {
    case png(PNGOptions)
    case tiff(TIFFOptions)
    case whole(OutputFormat, WholeFileEncoder.Options)
  }

  let options: Options
  /// What of the metadata is left out.
  let strip: MetadataStrip

  /// The quality of formats that lose detail, where the user says nothing.
  static let usualQuality = 85

  package var format: OutputFormat {
    switch options {
    case .png: .png
    case .tiff: .tiff
    case .whole(let format, _): format
    }
  }

  /// Reads the options of a command line.
  ///
  /// - Parameters:
  ///   - format: The format's name; nil for the one that the suffix of the path says.
  ///   - path: Where the image goes; nil for standard output.
  ///   - quality: 1 to 100.
  ///   - compression: In the words of the format.
  ///   - tile: The side of a tile.
  ///   - strip: What of the metadata is left out: `none`, `gps` or `all`.
  /// - Throws: ``StintError`` with the code `usage`.
  package init(
    format: String?, path: String?, quality: Int? = nil, compression: String? = nil,
    tile: Int? = nil, strip: String? = nil
  ) throws(StintError) {
    self.strip = try MetadataStrip(word: strip)
    let format = try Self.format(named: format, path: path)
    if let quality, !format.losesDetail {
      throw StintError(
        .usage,
        "Quality \(quality) applies to lossy formats, and \(format.name) is not one.",
        remedies: [.withoutQuality])
    }
    if tile != nil, format != .tiff {
      throw StintError(
        .usage, "Only TIFF has tiles, and the output is \(format.name).",
        remedies: [.withoutTiles])
    }
    switch format {
    case .png: options = .png(PNGOptions(level: try Self.level(compression)))
    case .tiff:
      options = try .tiff(
        TIFFOptions(layout: Self.layout(tile), compression: Self.compression(compression)))
    case .jpeg, .webp, .avif, .heic, .gif, .pnm, .jxl, .jp2:
      let isLossless = try Self.isLossless(compression, format)
      if let quality, isLossless {
        throw StintError(
          .usage, "Lossless compression has no quality; give either it or the quality \(quality).")
      }
      options = .whole(
        format,
        WholeFileEncoder.Options(
          quality: isLossless || !format.losesDetail ? nil : quality ?? Self.usualQuality,
          isLossless: isLossless))
    }
  }

  /// The format and its options in the one form that stands for them in a job's key.
  ///
  /// What is left out of the metadata stands there only if there is something: the keys of jobs
  /// that older versions began have no word for it.
  package var canonicalText: String {
    let words = words + (strip == .none ? [] : ["strip=\(strip.rawValue)"])
    return format.rawValue + (words.isEmpty ? "" : ":") + words.joined(separator: ",")
  }

  private var words: [String] {
    switch options {
    case .png(let options): return ["compression=\(options.level)"]
    case .tiff(let options):
      let compression =
        switch options.compression {
        case .none: "none"
        case .lzw: "lzw"
        case .deflate(let level): "deflate-\(level)"
        }
      guard case .tiles(let side) = options.layout else { return ["compression=\(compression)"] }
      return ["compression=\(compression)", "tile=\(side)"]
    case .whole(_, let options):
      return options.isLossless
        ? ["compression=lossless"] : options.quality.map { ["quality=\($0)"] } ?? []
    }
  }

  /// Reads ``canonicalText`` back.
  ///
  /// - Throws: ``StintError`` with the code `usage` if it is none.
  package init(canonicalText text: String) throws(StintError) {
    let parts = text.split(separator: ":", maxSplits: 1)
    var values: [Substring: String] = [:]
    for pair in (parts.dropFirst().first ?? "").split(separator: ",") {
      let words = pair.split(separator: "=", maxSplits: 1)
      guard words.count == 2, values.updateValue(String(words[1]), forKey: words[0]) == nil else {
        throw StintError(.usage, "\"\(text)\" is not a format with options.")
      }
    }
    try self.init(
      format: parts.first.map(String.init) ?? "", path: nil,
      quality: values["quality"].flatMap { Int($0) }, compression: values["compression"],
      tile: values["tile"].flatMap { Int($0) }, strip: values["strip"])
    guard canonicalText == text else {
      throw StintError(.usage, "\"\(text)\" is not a format with options in canonical form.")
    }
  }

  /// The format that a name or the suffix of a path means.
  private static func format(
    named name: String?, path: String?
  ) throws(StintError) -> OutputFormat {
    let list = OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")
    if let name {
      if let format = OutputFormat(named: name) { return format }
      let names = OutputFormat.allCases.flatMap { [$0.rawValue] + $0.pathExtensions }
      let advice =
        NearestName.find(name.lowercased(), among: names).map { " Did you mean \($0)?" } ?? ""
      throw StintError(
        .usage, "The format \"\(name.prefix(60))\" is unknown.\(advice) Write one of \(list).")
    }
    guard let path else {
      throw StintError(
        .usage, "Standard output has no extension that names a format; the formats are \(list).",
        remedies: [.nameFormat])
    }
    return try OutputFormat(path: path)
  }

  /// What takes the rows, and for a format that is written at once, what writes the file.
  ///
  /// - Throws: ``StintError`` with the code `usage` if the format cannot hold such pixels.
  func encoders(
    for pixels: PixelShape, metadata: ImageMetadata
  ) throws -> (rows: any ResumableEncoder, whole: WholeFileEncoder?) {
    switch options {
    case .png(let options):
      return (try PNGEncoder(shape: pixels, options: options, metadata: metadata), nil)
    case .tiff(let options):
      return (try TIFFEncoder(shape: pixels, options: options, metadata: metadata), nil)
    case .whole(let format, let options):
      let whole = try WholeFileEncoder(
        format: format, shape: pixels, options: options, metadata: metadata)
      return (PixelStore(shape: pixels), whole)
    }
  }

  private static func level(_ text: String?) throws(StintError) -> Int {
    guard let text else { return PNGOptions().level }
    guard let level = Int(text), (0...9).contains(level) else {
      throw StintError(
        .usage,
        "The compression \"\(text.prefix(60))\" is not a PNG compression; use 0 (fast) to 9 (small)."
      )
    }
    return level
  }

  private static func compression(_ text: String?) throws(StintError) -> TIFFOptions.Compression {
    switch text?.lowercased() {
    case nil, "none": return .none
    case "lzw": return .lzw
    case "deflate": return .deflate(level: 6)
    case let word?:
      if word.hasPrefix("deflate-"), let level = Int(word.dropFirst(8)), (1...9).contains(level) {
        return .deflate(level: level)
      }
      throw StintError(
        .usage,
        "The compression \"\(word.prefix(60))\" is not a TIFF compression; use none, lzw, deflate, or deflate-1 "
          + "(fast) to deflate-9 (small).")
    }
  }

  private static func isLossless(
    _ compression: String?, _ format: OutputFormat
  ) throws(StintError) -> Bool {
    guard let compression else { return false }
    guard format.canBeLossless, compression.lowercased() == "lossless" else {
      throw StintError(
        .usage,
        "The compression \"\(compression.prefix(60))\" does not apply to \(format.name); "
          + (format.canBeLossless ? "write lossless, or leave it out." : "leave it out."))
    }
    return true
  }

  private static func layout(_ side: Int?) throws(StintError) -> TIFFOptions.Layout {
    guard let side else { return .strips }
    guard side % 16 == 0, (16...4096).contains(side) else {
      throw StintError(
        .usage, "\(side) cannot be the side of a tile; write a multiple of 16 up to 4096.")
    }
    return .tiles(side: side)
  }
}

/// What is written, and by which encoder.
package struct ImageOutput: Sendable {
  package let request: OutputRequest
  /// What takes the rows: it writes the image file, or stores the pixels.
  let encoder: any ResumableEncoder
  /// What writes the file from stored pixels, where the format is written all at once.
  let whole: WholeFileEncoder?
  /// What the format cannot hold of the image.
  let notices: [Notice]
  private let shape: ImageShape

  /// Chooses the encoder.
  ///
  /// - Parameters:
  ///   - request: The format and its options.
  ///   - shape: The pixels that are to be written.
  ///   - metadata: What is to be said besides.
  /// - Throws: ``StintError`` with the code `usage` if the format cannot hold such pixels.
  init(_ request: OutputRequest, shape: ImageShape, metadata: ImageMetadata) throws {
    self.request = request
    self.shape = shape
    let pixels = try PixelShape(shape)
    try request.format.check(pixels)
    (encoder, whole) = try request.encoders(for: pixels, metadata: metadata)
    notices =
      request.format.conversions(of: pixels).map { Notice($0) }
      + (request.format.lost(of: metadata, shape: pixels) + encoder.leftOut).map {
        "\(request.format.name) cannot hold \($0), so it is dropped"
      }
  }

  /// A band has a multiple of that many rows.
  var rowsPerUnit: Int { encoder.rowsPerUnit }

  /// An upper limit of the length of the image file, in bytes.
  var largestFileBytes: Int { whole?.largestFileBytes ?? encoder.largestFileBytes }

  /// The bytes of plain pixels that are stored before the file is written at once.
  var storedBytes: Int { whole == nil ? 0 : shape.sizeBytes }

  /// The partial file that rows go to.
  var rowsName: String {
    whole == nil ? ImageComputation.resultName : ImageComputation.pixelsName
  }
}

/// Stores rows as plain pixels, for a format that can only be written at once.
struct PixelStore: ResumableEncoder {
  let shape: PixelShape

  var rowsPerUnit: Int { min(64, shape.height) }
  var nanosecondsPerPixel: Double { Double(shape.pixelBytes) * ImageCost.plainByte }
  var largestFileBytes: Int { shape.rowBytes * shape.height }

  func begin(into file: any PartialFile) -> EncodingProgress {
    EncodingProgress(rows: 0, sizeBytes: 0)
  }

  func append(
    _ rows: UnsafeRawBufferPointer, after progress: EncodingProgress, threads: Int,
    stopFlag: StopFlag?, into file: any PartialFile
  ) throws -> EncodingProgress {
    try file.write(rows, at: progress.sizeBytes)
    return EncodingProgress(
      rows: progress.rows + rows.count / shape.rowBytes,
      sizeBytes: progress.sizeBytes + rows.count)
  }

  func finish(_ progress: EncodingProgress, into file: any PartialFile) {}
}
#endif
