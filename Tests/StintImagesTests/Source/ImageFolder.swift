#if Images
import Foundation
import StintCore

@testable import StintImages

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
    try? FileManager.default.removeItem(atPath: path)
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Saves an image with a saver of libvips.
  @discardableResult
  func save(
    _ image: VipsImage, _ name: String, _ saver: String = "pngsave",
    _ options: [String: VipsArgument] = [:]
  ) throws -> String {
    var arguments = options
    arguments["in"] = .image(image)
    arguments["filename"] = .text(path(name))
    try VipsOperation.run(saver, arguments, "write \(name)")
    return path(name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path(name)))
    return path(name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path(name))))
  }
}
#endif
