#if Images
import Glibc
import StintCore
import StintImages

/// A folder of image files that a test makes; it goes with the test.
final class ImageFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/stint-images-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw StintError(.io, "no temporary folder", errno: errno)
    }
    path = String(cString: made)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// What the folder holds.
  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Saves an image with a saver of libvips.
  @discardableResult
  func save(
    _ image: VipsImage, _ name: String, _ saver: String, _ options: [String: VipsArgument] = [:]
  ) throws -> String {
    try image.save(saver, to: path(name), options)
    return path(name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StintError(.io, "cannot write \(name)", errno: errno) }
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw StintError(.io, "short write of \(name)") }
    return path(name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    let descriptor = open(path(name), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StintError(.io, "cannot read \(name)", errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw StintError(.io, "short read of \(name)") }
    return bytes
  }
}
#endif
