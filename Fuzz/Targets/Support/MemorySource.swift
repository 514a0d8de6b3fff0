#if Images
import Glibc

@testable import StintImages

/// A file without a name, in memory, for readers that want one of the operating system.
enum MemorySource {
  private static let shared = made()

  /// A source with these bytes; there is one at a time, and the next takes its bytes away.
  static func source(_ bytes: [UInt8]) -> SourceFile { opened(shared, with: bytes) }

  /// A source with these bytes that stays.
  static func lasting(_ bytes: [UInt8]) -> SourceFile { opened(made(), with: bytes) }

  private static func made() -> Int32 {
    var template = Array("/dev/shm/stint-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0, unlink(template) == 0 else {
      fatalError("no file in /dev/shm: \(errno)")
    }
    return descriptor
  }

  private static func opened(_ descriptor: Int32, with bytes: [UInt8]) -> SourceFile {
    guard ftruncate(descriptor, bytes.count) == 0,
      pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    else { fatalError("the file in memory cannot be written: \(errno)") }
    return needed("the file in memory cannot be opened") {
      try SourceFile("/proc/self/fd/\(descriptor)")
    }
  }
}
#endif
