import Glibc
import StintCore
package import StintRuntime

/// How a process that works in a chain of slices tells the chain which job it works on.
package enum ChainTie {
  static let variable = "STINT_CHAIN"

  private static let directory = Protected<String?>(nil)

  /// Takes the variable out of the environment, so that no command inherits it; before there is any
  /// thread.
  package static func take() {
    guard let path = getenv(variable).map({ String(cString: $0) }), path.hasPrefix("/") else {
      return
    }
    unsetenv(variable)
    directory.withLock { $0 = path }
  }

  /// The directory of the chain; nil outside of any.
  static var path: String? { directory.withLock { $0 } }

  /// The least time between two plain lines of progress; a chain may log for days.
  static var plainDistance: Duration { path == nil ? .seconds(1) : .seconds(60) }

  /// What was copied when the work was submitted, which may not be there: the lines of a batch, or
  /// the list of images that shards take in turn.
  package static var input: String? { path.map { $0 + "/" + inputName } }
  static let inputName = "input"

  /// Where such copies of all chains are, if there are any.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package static func inputs(in catalog: JobCatalog) throws -> [String] {
    try catalog.keys().filter { $0.hasPrefix("chain-") }
      .map { "\(catalog.jobsPath)/\($0)/\(inputName)" }
  }

  /// Tells the key of the job; a label, so nothing is said if that fails.
  static func tell(_ key: String) {
    guard let path else { return }
    let fileSystem = PosixFileSystem()
    guard let root = try? fileSystem.openDirectory(at: path) else { return }
    defer { fileSystem.close(root) }
    try? fileSystem.replace("work", in: root, with: Array(key.utf8))
  }
}
