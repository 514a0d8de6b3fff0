#if Images
import CVips
import Glibc

/// What libjpeg itself says of the pixels of a JPEG stream.
///
/// libvips counts its warnings, but tells the text of the first alone, and of bytes between two
/// scans too, which harm no pixel.
enum JPEGCheck {
  /// The first message that tells of damage in a file; nil if there is none.
  static func damage(ofFile path: String) -> String? {
    guard let stream = fopen(path, "re") else { return nil }
    defer { fclose(stream) }
    return damage(of: stream, tables: [])
  }

  /// The same for bytes in memory.
  ///
  /// - Parameters:
  ///   - bytes: The stream.
  ///   - tables: A stream with tables alone, as TIFF has it for all tiles of an image.
  /// - Returns: The message.
  static func damage(of bytes: UnsafeRawBufferPointer, tables: [UInt8] = []) -> String? {
    let memory = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    guard let stream = fmemopen(memory, bytes.count, "r") else { return nil }
    defer { fclose(stream) }
    return damage(of: stream, tables: tables)
  }

  private static func damage(
    of stream: UnsafeMutablePointer<FILE>, tables: [UInt8]
  ) -> String? {
    var check = stint_jpeg_check()
    tables.withUnsafeBufferPointer {
      stint_jpeg_examine(&check, tables.isEmpty ? nil : $0.baseAddress, $0.count, stream)
    }
    guard check.faults > 0 else { return nil }
    return withUnsafeBytes(of: check.text) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
#endif
