#if Images
import Glibc

@testable import StintImages

/// A file without a name, in memory, for readers that want one of the operating system.
enum MemorySource {
  private static let descriptor = made()

  /// A source with these bytes; there is one at a time, and the next takes its bytes away.
  static func source(_ bytes: [UInt8]) -> SourceFile {
    fill(descriptor, bytes)
    return opened(descriptor)
  }

  /// A source with these bytes that stays.
  static func lasting(_ bytes: [UInt8]) -> SourceFile {
    let descriptor = made()
    fill(descriptor, bytes)
    return opened(descriptor)
  }

  private static func made() -> Int32 {
    var template = Array("/dev/shm/stint-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0, unlink(template) == 0 else {
      fatalError("no file in /dev/shm: \(errno)")
    }
    return descriptor
  }

  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) {
    guard ftruncate(descriptor, bytes.count) == 0,
      pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    else { fatalError("the file in memory cannot be written: \(errno)") }
  }

  private static func opened(_ descriptor: Int32) -> SourceFile {
    do {
      return try SourceFile("/proc/self/fd/\(descriptor)")
    } catch {
      fatalError("the file in memory cannot be opened: \(error)")
    }
  }
}
#endif
