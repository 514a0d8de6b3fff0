#if Images
package import StintCore

/// What is only read if the user trusts it: formats for which libvips has code that is not made for
/// files from strangers, and files that declare more than they can hold.
package enum UntrustedFormat: String, Hashable, Sendable, CaseIterable {
  case jxl
  case jp2
  case ppm
  /// How many pixels a file declares, whatever its format.
  case size

  /// The name in sentences, how the names of such files end, and the class of libvips' loaders.
  private var row: (name: String, endings: [String], loaderClass: String?) {
    switch self {
    case .jxl: ("JPEG XL", ["jxl"], "VipsForeignLoadJxl")
    case .jp2: ("JPEG 2000", ["jp2", "j2k", "jpt", "j2c", "jpc"], "VipsForeignLoadJp2k")
    case .ppm: ("PPM", ["ppm", "pgm", "pbm", "pnm", "pfm"], "VipsForeignLoadPpm")
    case .size: ("any size", [], nil)
    }
  }

  /// The name in sentences.
  package var name: String { row.name }

  /// How the names of such files end.
  var pathExtensions: [String] { row.endings }

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
  var loaderClass: String? { row.loaderClass }

  /// The format of a loader by the name of its operation; nil for one that is none of these.
  init?(loader: String) {
    let found = Self.allCases.first { $0.loaderClass.map(loader.hasPrefix) ?? false }
    guard let found else { return nil }
    self = found
  }

  /// The module of libvips that has the loader; nil where the library itself has it.
  var module: String? { self == .jxl ? "vips-jxl.so" : nil }

  /// Reads the words that name what is trusted.
  ///
  /// - Throws: ``StintError`` with the code `usage` for a word that names nothing of it.
  package static func set(_ words: [String]) throws(StintError) -> Set<UntrustedFormat> {
    var formats: Set<UntrustedFormat> = []
    for word in words {
      guard let format = UntrustedFormat(rawValue: word.lowercased()) else {
        throw StintError(
          .usage,
          "\"\(word.prefix(60))\" is nothing that needs trust; what does is "
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
