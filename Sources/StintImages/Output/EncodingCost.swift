#if Images
/// What encoding costs on one thread of an AMD EPYC of 2024, for the outlook before anything is
/// learnt.
///
/// Measured with a photograph with the noise of its sensor, which is dearer than drawings and than
/// pure noise. The fit test learns the rest.
enum EncodingCost {
  /// By zlib's level, with filtered rows.
  static func nanosecondsPerByte(deflateLevel level: Int) -> Double {
    switch level {
    case ...0: 1
    case ...2: 20
    case ...4: 40
    case ...6: 120
    case _: 250
    }
  }

  static func nanosecondsPerByte(_ options: PNGOptions) -> Double {
    nanosecondsPerByte(deflateLevel: options.level) + (options.filter == .adaptive ? 3 : 0)
  }

  static func nanosecondsPerByte(_ options: TIFFOptions) -> Double {
    switch options.compression {
    case .none: 1
    case .deflate(let level): nanosecondsPerByte(deflateLevel: level)
    case .lzw: 15
    }
  }
}
#endif
