#if Images
import CVips

/// The type of one sample of a pixel, by libvips' numbers.
package enum SampleFormat: Int32, Sendable, CaseIterable {
  case uint8 = 0
  case int8 = 1
  case uint16 = 2
  case int16 = 3
  case uint32 = 4
  case int32 = 5
  case float = 6
  case complex = 7
  case double = 8
  case doubleComplex = 9

  /// The size of a sample, in bytes.
  package var sizeBytes: Int {
    switch self {
    case .uint8, .int8: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float: 4
    case .complex, .double: 8
    case .doubleComplex: 16
    }
  }

  /// The name that libvips' operations know it by.
  package var word: String {
    String(cString: vips_enum_nick(vips_band_format_get_type(), rawValue))
  }

  /// What a person calls it.
  package var phrase: String {
    switch self {
    case .uint8: "8-bit"
    case .int8: "signed 8-bit"
    case .uint16: "16-bit"
    case .int16: "signed 16-bit"
    case .uint32: "unsigned 32-bit"
    case .int32: "signed 32-bit"
    case .float: "32-bit floating-point"
    case .complex: "complex floating-point"
    case .double: "64-bit floating-point"
    case .doubleComplex: "double complex floating-point"
    }
  }

  var vips: VipsBandFormat { VipsBandFormat(rawValue: rawValue) }
}
#endif
