import Foundation
import Testing

/// Finds the programs that were built together with the tests.
enum Programs {
  /// The root of the tree that the tests belong to.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The program `stint`: `$STINT` if that is set, else the one beside the test bundle.
  static func stint() throws -> String {
    if let path = ProcessInfo.processInfo.environment["STINT"] { return path }
    return try beside("stint")
  }

  private static func beside(_ name: String) throws -> String {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folders = ([bundle] + CommandLine.arguments.filter { $0.hasPrefix("/") }).map {
      ($0 as NSString).deletingLastPathComponent
    }
    let path = folders.map { $0 + "/" + name }.first(
      where: FileManager.default.isExecutableFile(atPath:))
    return try #require(path, "\(name) is not beside the tests; build it with swift build")
  }
}
