#if Images
import Glibc
import StintCore

/// The first bytes of a file, for formats of which no loader here knows anything.
struct FileBeginning {
  private let bytes: [UInt8]

  /// Reads them.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - shownAs: What messages call it.
  /// - Throws: ``StintError`` with the code `io`.
  init(_ path: String, shownAs: String) throws(StintError) {
    func unread(_ code: Int32) -> StintError {
      StintError(
        .io, "The input \(shownAs) cannot be read: \(String(cString: strerror(code))).",
        errno: code)
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw unread(errno) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 18)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw unread(errno) }
    self.init(Array(bytes.prefix(count)))
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the file is TIFF or BigTIFF, of which no loader knows anything if its directory is cut
  /// off.
  var isTIFF: Bool {
    ["II*\0", "MM\0*", "II+\0", "MM\0+"].contains { bytes.starts(with: $0.utf8) }
  }

  /// Whether the file is a bitmap of Windows or OS/2: two letters, four bytes that are zero, and
  /// the length of one of its headers.
  var isBMP: Bool {
    bytes.count >= 18 && bytes.starts(with: "BM".utf8) && bytes[6..<10].allSatisfy { $0 == 0 }
      && [12, 16, 40, 52, 56, 64, 108, 124].contains(bytes[14])
      && bytes[15..<18].allSatisfy { $0 == 0 }
  }

  /// Whether the file is JPEG XL: a bare codestream, or one in boxes (ISO/IEC 18181-2).
  var isJPEGXL: Bool {
    bytes.starts(with: [0xFF, 0x0A])
      || bytes.starts(with: [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A])
  }
}
#endif
