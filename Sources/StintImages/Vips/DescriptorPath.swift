#if Images
import Glibc

/// Paths that open the very file of a descriptor again, whatever its name means by now.
enum DescriptorPath {
  /// The folder in which the kernel shows what is open.
  static let folder = "/proc/self/fd/"

  static func path(of descriptor: Int32) -> String { "\(folder)\(descriptor)" }

  /// What the file of a descriptor is called; nil if it has no name any more.
  static func name(of descriptor: Int32) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink(
        path(of: descriptor), bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    let name = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    // Where /proc is missing, or the file was removed meanwhile, the link says something else.
    return access(name, F_OK) == 0 ? name : nil
  }
}
#endif
