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
  package var isResumable: Bool {
    switch self {
    case .png, .tiff: true
    case .jpeg, .webp, .avif, .heic, .gif, .pnm, .jxl, .jp2: false
    }
  }

  /// Whether the format is lossy, by as much as a quality says.
  var losesDetail: Bool {
    switch self {
    case .jpeg, .webp, .avif, .heic, .jxl, .jp2: true
    case .png, .tiff, .gif, .pnm: false
    }
  }

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
    // A name that only begins with a dot has no ending.
    let name = FilePath(path).name.text
    let ending =
      name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
      .dropFirst().last.map(String.init) ?? ""
    guard let format = OutputFormat(named: ending) else {
      let endings = Self.allCases.map { "." + $0.pathExtensions[0] }.joined(separator: ", ")
      throw StintError(
        .usage,
        "The output \(path) has an unsupported extension; use one of \(endings).")
    }
    self = format
  }
}
#endif
