#if Images
import StintCore

/// What an image file says besides its pixels.
///
/// An encoder writes of it what its format has a place for; ``OutputFormat/lost(of:shape:)`` names
/// the rest.
package struct ImageMetadata: Hashable, Sendable {
  /// A line of text with a name, such as a PNG's.
  package struct Text: Hashable, Sendable {
    /// 1 to 79 characters.
    package var keyword: String
    package var text: String
  }

  /// Pixels per millimetre, as libvips counts.
  package struct Resolution: Hashable, Sendable {
    /// Along a row.
    package var horizontal: Double
    /// Along a column.
    package var vertical: Double
  }

  /// The colour profile, as the ICC defines it.
  package var profile: [UInt8]?
  /// The resolution, if the image has one.
  package var resolution: Resolution?
  /// The EXIF data: a TIFF structure, without the marker `Exif` before it.
  package var exif: [UInt8]?
  package var xmp: [UInt8]?
  package var iptc: [UInt8]?
  /// How the pixels are to be turned for looking at them: 1 to 8 as in TIFF and EXIF; 1 is upright.
  package var orientation: Int?
  /// What the image shows.
  package var description: String?
  /// Further lines of text.
  package var texts: [Text] = []

  /// The bytes of everything that is no text.
  var blobBytes: Int {
    [profile, exif, xmp, iptc].reduce(0) { $0 + ($1?.count ?? 0) }
  }

  /// The profile if it describes such pixels; one for other colours would make readers show wrong
  /// ones.
  ///
  /// The colour space stands in bytes 16 to 19 of a profile, and `acsp` in bytes 36 to 39
  /// (ICC.1:2022, section 7.2).
  func profile(for color: PixelShape.Color) -> [UInt8]? {
    guard let profile, profile.count >= 128, Array(profile[36..<40]) == Array("acsp".utf8) else {
      return nil
    }
    let space =
      switch color {
      case .gray: "GRAY"
      case .rgb: "RGB "
      case .cmyk: "CMYK"
      }
    return Array(profile[16..<20]) == Array(space.utf8) ? profile : nil
  }
}

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
