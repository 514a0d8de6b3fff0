#if Images
/// What a TIFF's directory says.
struct TIFFDirectory {
  let shape: PixelShape
  let options: TIFFOptions
  let metadata: ImageMetadata
  let grid: TIFFGrid

  /// An upper limit of what the directory takes without the table of pieces.
  var metadataBytes: Int {
    let blobs = [metadata.profile, metadata.exif, metadata.xmp, metadata.iptc]
      .reduce(0) { $0 + ($1?.count ?? 0) }
    return 2048 + blobs + (metadata.description?.utf8.count ?? 0)
  }

  func fields(isBig: Bool) -> [TIFFField] {
    pixelFields + pieceFields(isBig: isBig) + metadataFields
  }

  private var pixelFields: [TIFFField] {
    var fields: [TIFFField] = [
      .long(.width, shape.width),
      .long(.height, shape.height),
      .shorts(.bitsPerSample, each(shape.sample.sizeBytes * 8)),
      .shorts(.compression, [compression]),
      .shorts(.photometric, [photometric]),
      .shorts(.samplesPerPixel, [shape.channels]),
      // Samples of a pixel side by side.
      .shorts(.planarConfiguration, [1]),
      .shorts(.sampleFormat, each(shape.sample == .float32 ? 3 : 1)),
    ]
    if options.usesPredictor {
      fields.append(.shorts(.predictor, [TIFFPredictor(for: shape.sample).rawValue]))
    }
    // Colours are not multiplied by the alpha.
    if shape.hasAlpha { fields.append(.shorts(.extraSamples, [2])) }
    if shape.color == .cmyk { fields.append(.shorts(.inkSet, [1])) }
    return fields
  }

  private func each(_ number: Int) -> [Int] {
    Array(repeating: number, count: shape.channels)
  }

  private var compression: Int {
    switch options.compression {
    case .none: 1
    case .lzw: 5
    case .deflate: 8
    }
  }

  private var photometric: Int {
    switch shape.color {
    case .gray: 1
    case .rgb: 2
    case .cmyk: 5
    }
  }

  private func pieceFields(isBig: Bool) -> [TIFFField] {
    let tags: [TIFFField.Tag] =
      grid.isTiled ? [.tileOffsets, .tileByteCounts] : [.stripOffsets, .stripByteCounts]
    let sides: [TIFFField] =
      grid.isTiled
      ? [.long(.tileWidth, grid.pieceWidth), .long(.tileHeight, grid.pieceHeight)]
      : [.long(.rowsPerStrip, grid.pieceHeight)]
    return sides + tags.map { TIFFField(later: $0, count: grid.count, isBig: isBig) }
  }

  private var metadataFields: [TIFFField] {
    var fields: [TIFFField] = [.text(.software, "Stint")]
    if let text = metadata.description { fields.append(.text(.description, text)) }
    if let orientation = metadata.orientation, (1...8).contains(orientation) {
      fields.append(.shorts(.orientation, [orientation]))
    }
    if let resolution = metadata.resolution {
      fields += [
        // Pixels per centimetre.
        .rational(.horizontalResolution, resolution.horizontal * 10),
        .rational(.verticalResolution, resolution.vertical * 10),
        .shorts(.resolutionUnit, [3]),
      ]
    }
    if let xmp = metadata.xmp { fields.append(.bytes(.xmp, .byte, xmp)) }
    if let iptc = metadata.iptc { fields.append(.bytes(.iptc, .undefined, iptc)) }
    if let profile = metadata.profile(for: shape.color) {
      fields.append(.bytes(.profile, .undefined, profile))
    }
    return fields
  }
}
#endif
