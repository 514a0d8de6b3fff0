#if Images
import StintCore

/// What of the metadata the user wants to be left out.
///
/// Colours, resolution and orientation stay, because the image would not look the same without
/// them.
package enum MetadataStrip: String, Hashable, Sendable, CaseIterable {
  case none
  /// Where the picture was taken.
  case gps
  /// EXIF, XMP, IPTC, the description and all texts.
  case all

  /// Reads the word of a command line; nil means ``none``.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(word: String?) throws(StintError) {
    guard let word else {
      self = .none
      return
    }
    guard let strip = Self(rawValue: word.lowercased()) else {
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw StintError(
        .usage, "\"\(word.prefix(60))\" is nothing that can be stripped; write one of \(words).")
    }
    self = strip
  }
}
#endif
