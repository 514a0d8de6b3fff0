#if Images
import CVips

/// What the bands of an image mean, by libvips' numbers ("interpretation").
package enum ColourSpace: Int32, Sendable, CaseIterable {
  case multiband = 0
  case grey = 1
  case histogram = 10
  case xyz = 12
  case lab = 13
  case cmyk = 15
  case labq = 16
  case rgb = 17
  case cmc = 18
  case lch = 19
  case labs = 21
  case srgb = 22
  case yxy = 23
  case fourier = 24
  case rgb16 = 25
  case grey16 = 26
  case matrix = 27
  case scrgb = 28
  case hsv = 29

  /// The name that libvips' operations know it by.
  package var word: String {
    String(cString: vips_enum_nick(vips_interpretation_get_type(), rawValue))
  }

  /// What a person calls it.
  package var phrase: String {
    switch self {
    case .grey, .grey16: "grayscale"
    case .srgb, .rgb, .rgb16: "RGB"
    case .cmyk: "CMYK"
    case .scrgb: "linear light"
    case .xyz: "XYZ"
    case .lab, .labq, .labs: "Lab"
    case .lch: "LCh"
    case .cmc: "CMC"
    case .yxy: "Yxy"
    case .hsv: "HSV"
    case .multiband: "bands without a colour space"
    case .histogram: "a histogram"
    case .fourier: "a spectrum"
    case .matrix: "a matrix"
    }
  }

  /// How many bands hold the colour; nil where all do.
  ///
  /// Every band after them is alpha.
  package var colourBands: Int? {
    switch self {
    case .grey, .grey16: 1
    case .xyz, .lab, .labq, .rgb, .cmc, .lch, .labs, .srgb, .yxy, .rgb16, .scrgb, .hsv: 3
    case .cmyk: 4
    case .multiband, .histogram, .fourier, .matrix: nil
    }
  }
}
#endif
