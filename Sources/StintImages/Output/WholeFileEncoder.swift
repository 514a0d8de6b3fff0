#if Images
package import StintRuntime
package import StintCore

/// Writes an image file in one call of libvips, which nothing can continue: JPEG, WebP, AVIF, HEIC,
/// GIF, PNM, JPEG XL, JPEG 2000.
package struct WholeFileEncoder: Hashable, Sendable {
  /// What can be chosen.
  package struct Options: Hashable, Sendable {
    /// 1 to 100 for formats that lose something; nil for the library's choice.
    package var quality: Int? = nil
    /// Whether nothing may be lost; for WebP, AVIF, HEIC, JPEG XL and JPEG 2000.
    package var isLossless = false
  }

  package let format: OutputFormat
  package let shape: PixelShape
  package let options: Options
  package let metadata: ImageMetadata

  /// Creates an encoder.
  ///
  /// - Throws: ``StintError`` with the code `usage` if the format cannot hold such pixels, or is
  ///   not written at once.
  package init(
    format: OutputFormat, shape: PixelShape, options: Options = Options(),
    metadata: ImageMetadata = ImageMetadata()
  ) throws(StintError) {
    guard !format.isResumable else {
      throw StintError(.usage, "\(format.name) is written band by band, not at once.")
    }
    if let quality = options.quality, !(1...100).contains(quality) {
      throw StintError(.usage, "The quality is 1 to 100, not \(quality).")
    }
    try format.check(shape)
    self.format = format
    self.shape = shape
    self.options = options
    self.metadata = metadata
  }

  /// What the call costs for a pixel on one thread of an AMD EPYC of 2024, in nanoseconds, about.
  ///
  /// Measured with a photograph with noise; the fit test learns the rest. Pixels of one sample cost
  /// less.
  package var nanosecondsPerPixel: Double {
    let color: Double =
      switch format {
      case .jpeg: 45
      case .webp: options.isLossless ? 900 : 130
      case .avif: 1100
      case .heic: 2200
      case .gif: 1700
      case .jxl: options.isLossless ? 3300 : 480
      case .jp2: 360
      case .pnm, .png, .tiff: 10
      }
    return shape.color == .gray ? color / 2 : color
  }

  /// An upper limit of the file's length in bytes: twice the pixels is more than any of these
  /// formats makes of them.
  package var largestFileBytes: Int {
    2 * shape.rowBytes * shape.height + (1 << 20) + 2 * metadata.blobBytes
  }

  /// Encodes an image.
  ///
  /// - Parameters:
  ///   - image: The pixels, as the shape tells; its own metadata is not looked at.
  ///   - stopFlag: When it is raised, the call gives up.
  ///   - file: Emptied first; holds the image file afterwards.
  /// - Returns: Whether the file is complete; false after the flag was raised.
  /// - Throws: What writing to the file throws, or `io` with libvips' words.
  @discardableResult
  package func encode(
    _ image: VipsImage, stopFlag: StopFlag? = nil, into file: any PartialFile
  ) throws -> Bool {
    precondition(
      image.width == shape.width && image.height == shape.height && image.bands == shape.channels,
      "the image that is encoded has the shape that was promised")
    try file.truncate(to: 0)
    let target = VipsTarget(file: file, stopFlag: stopFlag)
    do {
      try withExtendedLifetime(target) { try prepared(image).save(saver, to: target, arguments) }
    } catch {
      if let failure = target.failure { throw failure }
      if stopFlag?.isRaised == true { return false }
      throw error
    }
    return true
  }

  private var saver: String {
    switch format {
    case .jpeg: "jpegsave_target"
    case .webp: "webpsave_target"
    case .avif, .heic: "heifsave_target"
    case .gif: "gifsave_target"
    case .jxl: "jxlsave_target"
    case .jp2: "jp2ksave_target"
    case .pnm, .png, .tiff: "ppmsave_target"
    }
  }

  private var arguments: [String: VipsArgument] {
    var arguments: [String: VipsArgument] = [:]
    switch format {
    case .avif: arguments["compression"] = .word("av1")
    case .heic: arguments["compression"] = .word("hevc")
    // Else the time of day stands in the file, and no two runs would make the same one (W8).
    case .pnm: arguments["strip"] = .flag(true)
    case .jpeg, .webp, .gif, .png, .tiff, .jxl, .jp2: break
    }
    if format.losesDetail, let quality = options.quality { arguments["Q"] = .integer(quality) }
    if format.canBeLossless, options.isLossless { arguments["lossless"] = .flag(true) }
    return arguments
  }

  /// The image with samples that the format has, and with the metadata where its saver looks for
  /// it.
  private func prepared(_ image: VipsImage) throws(StintError) -> VipsImage {
    var image = try image.relabelled(shape.imageShape.colourSpace)
    if format.stored(shape.sample) != shape.sample {
      // 65,535 is 255 times 257.
      image = try image.times(1 / 257.0).rounded(to: .uint8)
        .relabelled(shape.color == .gray ? .grey : .srgb)
    }
    if let resolution = metadata.resolution {
      image = try image.applying(
        "copy",
        ["xres": .number(resolution.horizontal), "yres": .number(resolution.vertical)])
    }
    return try image.editing(edits)
  }

  private var edits: [MetadataEdit] {
    var edits: [MetadataEdit] = []
    if let profile = metadata.profile(for: shape.color) {
      edits.append(.blob("icc-profile-data", profile))
    }
    // libexif looks for the marker.
    if let exif = metadata.exif { edits.append(.blob("exif-data", Array("Exif\0\0".utf8) + exif)) }
    if let xmp = metadata.xmp { edits.append(.blob("xmp-data", xmp)) }
    if let iptc = metadata.iptc { edits.append(.blob("iptc-data", iptc)) }
    if let orientation = metadata.orientation {
      edits.append(.integer("orientation", orientation))
    }
    return edits
  }
}
#endif
