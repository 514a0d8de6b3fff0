#if Images
package import StintCore

/// A format that libvips reads with code that is not made for files from strangers, and that is
/// read and written if the user trusts it.
package enum UntrustedFormat: String, Hashable, Sendable, CaseIterable {
  case jxl
  case jp2
  case ppm

  /// The name in sentences.
  package var name: String {
    switch self {
    case .jxl: "JPEG XL"
    case .jp2: "JPEG 2000"
    case .ppm: "PPM"
    }
  }

  /// How the names of such files end.
  var pathExtensions: [String] {
    switch self {
    case .jxl: ["jxl"]
    case .jp2: ["jp2", "j2k", "jpt", "j2c", "jpc"]
    case .ppm: ["ppm", "pgm", "pbm", "pnm", "pfm"]
    }
  }

  /// The format of files whose names end so, in letters of any case; nil if it is none of these.
  package init?(pathExtension: String) {
    let ending = pathExtension.lowercased()
    guard let format = Self.allCases.first(where: { $0.pathExtensions.contains(ending) }) else {
      return nil
    }
    self = format
  }

  /// The class of libvips' savers of the format, if it does not trust them either.
  var saverClass: String? { self == .jxl ? "VipsForeignSaveJxl" : nil }

  /// The class of libvips' loaders of the format; no other loader belongs to it.
  var loaderClass: String {
    switch self {
    case .jxl: "VipsForeignLoadJxl"
    case .jp2: "VipsForeignLoadJp2k"
    case .ppm: "VipsForeignLoadPpm"
    }
  }

  /// The format of a loader by the name of its operation; nil for one that is none of these.
  init?(loader: String) {
    guard let format = Self.allCases.first(where: { loader.hasPrefix($0.loaderClass) }) else {
      return nil
    }
    self = format
  }

  /// The module of libvips that has the loader; nil where the library itself has it.
  var module: String? { self == .jxl ? "vips-jxl.so" : nil }

  /// Reads the words that name formats.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a word that names none of them.
  package static func set(_ words: [String]) throws(StintError) -> Set<UntrustedFormat> {
    var formats: Set<UntrustedFormat> = []
    for word in words {
      guard let format = UntrustedFormat(rawValue: word.lowercased()) else {
        throw StintError(
          .usage,
          "\"\(word.prefix(60))\" is not a format that needs trust; those are "
            + allCases.map(\.rawValue).joined(separator: ", ") + ".")
      }
      formats.insert(format)
    }
    return formats
  }

  /// The names of formats in the one form that is stored.
  static func text(_ formats: Set<UntrustedFormat>) -> String? {
    formats.isEmpty ? nil : formats.map(\.rawValue).sorted().joined(separator: ",")
  }

  /// Reads that form; nil if it is something else.
  static func set(stored text: String?) -> Set<UntrustedFormat>? {
    try? set(text?.split(separator: ",").map(String.init) ?? [])
  }
}
#endif
