#if Images
package import StintCore

/// A kind of image file that can be written.
///
/// FITS and others that libvips writes are left out: it does not trust its own loaders of them, and
/// a result that nobody here could read again could not be checked. JPEG XL and JPEG 2000 are
/// written where the user trusts them, and PNM always, because its samples stand there bare.
package enum OutputFormat: String, Hashable, Sendable, CaseIterable {
  case png
  case tiff
  case jpeg
  case webp
  case avif
  case heic
  case gif
  case pnm
  case jxl
  case jp2

  /// The name in sentences.
  package var name: String {
    switch self {
    case .webp: "WebP"
    case .jxl, .jp2: trust?.name ?? rawValue
    case .png, .tiff, .jpeg, .avif, .heic, .gif, .pnm: rawValue.uppercased()
    }
  }

  /// How the names of such files end, the usual ending first.
  package var pathExtensions: [String] {
    switch self {
    case .png: ["png"]
    case .tiff: ["tif", "tiff"]
    case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
    case .webp: ["webp"]
    case .avif: ["avif"]
    case .heic: ["heic", "heif"]
    case .gif: ["gif"]
    case .pnm: ["ppm", "pgm", "pnm"]
    case .jxl: ["jxl"]
    case .jp2: ["jp2"]
    }
  }

  /// What the user has to trust for writing it; nil for nothing.
  ///
  /// The formats that need trust have the same names in both lists; PNM is written without it.
  package var trust: UntrustedFormat? { UntrustedFormat(rawValue: rawValue) }

  /// Whether a file can be continued by another process; of the others, encoding is one chunk.
  package var isResumable: Bool { self == .png || self == .tiff }

  /// Whether the format is lossy, by as much as a quality says.
  var losesDetail: Bool { limits.losesDetail }

  /// Whether a lossy format can also be written without loss.
  var canBeLossless: Bool { losesDetail && self != .jpeg }

  /// The format that a file's name or `--format` asks for.
  ///
  /// - Parameter name: A format's name or an ending such as `jpg`, in letters of any case.
  package init?(named name: String) {
    let name = name.lowercased()
    guard
      let format = Self.allCases.first(where: {
        $0.rawValue == name || $0.pathExtensions.contains(name)
      })
    else { return nil }
    self = format
  }

  /// The format that a path's ending asks for.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a path without a known ending.
  package init(path: String) throws(StintError) {
    guard let format = OutputFormat(named: FilePath(path).ending) else {
      let endings = Self.allCases.map { "." + $0.pathExtensions[0] }.joined(separator: ", ")
      throw StintError(
        .usage,
        "The output \(path) has an unsupported extension; use one of \(endings).")
    }
    self = format
  }
}

extension FilePath {
  /// What follows the last dot of its name; a name that only begins with one has no ending.
  package var ending: String {
    let name = name.text
    return name.dropFirst().lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
  }
}

/// What a format can hold.
private struct FormatLimits {
  /// The most columns and the most rows.
  var longestSide = Int(Int32.max)
  var colors: Set<PixelShape.Color> = [.gray, .rgb]
  var holdsAlpha = true
  /// The samples that it holds as they are; others become ``nearest(to:)``.
  var samples: Set<PixelShape.Sample> = [.unsigned8]
  /// Whether the format is lossy.
  var losesDetail = false
  var holdsProfile = true
  var holdsExifAndXMP = true

  func hold(_ shape: PixelShape) -> Bool {
    max(shape.width, shape.height) <= longestSide && colors.contains(shape.color)
      && (holdsAlpha || !shape.hasAlpha) && samples.contains(shape.sample)
  }
}

extension OutputFormat {
  /// The limits, each from the format's definition or, where that is less, from the library that
  /// writes it.
  fileprivate var limits: FormatLimits {
    switch self {
    case .png:
      // PNG specification, third edition, section 11.2.1.
      FormatLimits(samples: [.unsigned8, .unsigned16])
    case .tiff:
      FormatLimits(
        colors: Set(PixelShape.Color.allCases), samples: Set(PixelShape.Sample.allCases))
    case .jpeg:
      // The format has 65,535; libjpeg stops at 65,500 (JPEG_MAX_DIMENSION).
      FormatLimits(
        longestSide: 65_500, colors: Set(PixelShape.Color.allCases), holdsAlpha: false,
        losesDetail: true)
    case .webp:
      // 14 bits a side (RFC 9649, section 2.5).
      FormatLimits(longestSide: 16_383, losesDetail: true)
    case .avif, .heic:
      // libheif reads back no more (its MAX_IMAGE_WIDTH).
      FormatLimits(longestSide: 32_768, losesDetail: true)
    case .gif:
      // 16 bits a side (GIF89a, section 18).
      FormatLimits(longestSide: 65_535, holdsProfile: false, holdsExifAndXMP: false)
    case .pnm:
      FormatLimits(
        holdsAlpha: false, samples: [.unsigned8, .unsigned16], holdsProfile: false,
        holdsExifAndXMP: false)
    case .jxl:
      // Level 10 has 2^30 (ISO/IEC 18181-1, annex M).
      FormatLimits(
        longestSide: 1 << 30, samples: [.unsigned8, .unsigned16], losesDetail: true,
        holdsExifAndXMP: false)
    case .jp2:
      // 65,535 tiles (ISO/IEC 15444-1, annex A.4.2), which libvips makes 512 pixels wide and high.
      FormatLimits(
        longestSide: 255 * 512, samples: [.unsigned8, .unsigned16], losesDetail: true,
        holdsProfile: false, holdsExifAndXMP: false)
    }
  }

  /// The usual formats that hold an image as it is, such as "write PNG or TIFF".
  private static func advice(for shape: PixelShape) -> String {
    let names = [OutputFormat.png, .webp, .tiff, .jpeg].filter { $0.limits.hold(shape) }.map(\.name)
    guard let last = names.last else { return "convert the image before" }
    return names.count == 1
      ? "write \(last)" : "write \(names.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// Checks that the format can hold an image; more bits a sample than it has are no hindrance, but
  /// ``conversions(of:)`` tells of them.
  ///
  /// - Throws: ``StintError`` with the code `usage`; its sentence names the limit and what to do.
  package func check(_ shape: PixelShape) throws(StintError) {
    let (limits, advice) = (limits, Self.advice(for: shape))
    guard max(shape.width, shape.height) <= limits.longestSide else {
      throw StintError(
        .usage,
        """
        \(name) holds at most \(limits.longestSide) columns and rows, and the result has \(shape.width) x \
        \(shape.height); \(advice), or resize it.
        """)
    }
    guard limits.colors.contains(shape.color) else {
      throw StintError(
        .usage, "\(name) has no \(shape.color.phrase) pixels; \(advice).")
    }
    guard limits.holdsAlpha || !shape.hasAlpha else {
      throw StintError(
        .usage,
        "\(name) has no alpha, and the result has an alpha channel.",
        remedies: shape.canLieOnBackground ? [.background, "\(advice)"] : ["\(advice)"])
    }
    if shape.sample == .float32, !limits.samples.contains(.float32) {
      throw StintError(
        .usage,
        "\(name) has no floating-point samples; \(advice), or convert them to 8 or 16 bits first.")
    }
    guard !(shape.color == .cmyk && shape.hasAlpha) || self == .tiff else {
      throw StintError(.usage, "\(name) has no CMYK pixels with alpha; \(advice).")
    }
  }

  /// The samples that stand in the file for those of the image: the same, or 8 bits for 16.
  package func stored(_ sample: PixelShape.Sample) -> PixelShape.Sample {
    limits.samples.contains(sample) ? sample : .unsigned8
  }

  /// What the format changes about the pixels, a sentence each; empty for one that gives back what
  /// it got.
  package func conversions(of shape: PixelShape) -> [String] {
    var sentences: [String] = []
    if stored(shape.sample) != shape.sample {
      sentences.append("\(name) has 8 bits a sample; the result's 16 bits are rounded to them.")
    }
    switch self {
    case .gif:
      sentences.append("GIF has 256 colours; the result's are reduced to them.")
    case .webp, .avif, .heic:
      if shape.color == .gray { sentences.append("\(name) holds grayscale as RGB.") }
    case .png, .tiff, .jpeg, .pnm, .jxl, .jp2:
      break
    }
    return sentences
  }

  /// What of an image's metadata has no place in the format, in the words of a sentence such as
  /// "the EXIF data".
  package func lost(of metadata: ImageMetadata, shape: PixelShape) -> [String] {
    let (holdsProfile, holdsExifAndXMP) = (limits.holdsProfile, limits.holdsExifAndXMP)
    var lost: [String] = []
    if metadata.profile != nil, metadata.profile(for: shape.color) == nil {
      lost.append("the colour profile, which is not one for \(shape.color.phrase)")
    } else if metadata.profile != nil, !holdsProfile {
      lost.append("the colour profile")
    }
    if metadata.exif != nil, !holdsExifAndXMP { lost.append("the EXIF data") }
    if metadata.xmp != nil, !holdsExifAndXMP { lost.append("the XMP data") }
    if metadata.iptc != nil, self != .tiff, self != .jpeg { lost.append("the IPTC data") }
    if !metadata.texts.isEmpty, self != .png { lost.append("the texts") }
    if metadata.description != nil, self != .png, self != .tiff { lost.append("the description") }
    if metadata.orientation ?? 1 != 1, !holdsExifAndXMP { lost.append("the orientation") }
    return lost
  }
}

extension PixelShape {
  /// Whether the filter flatten takes such pixels.
  fileprivate var canLieOnBackground: Bool { color != .cmyk && sample != .float32 }
}

extension PixelShape.Color {
  /// The name in sentences.
  package var phrase: String {
    switch self {
    case .gray: "grayscale"
    case .rgb: "RGB"
    case .cmyk: "CMYK"
    }
  }
}
#endif
