import Glibc
import StintCore
import StintRuntime

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

  /// The copy of the lines that was made when a batch was submitted, which may not be there.
  static var input: String? { path.map { $0 + "/" + inputName } }
  static let inputName = "input"

  /// Tells the key of the job; a label, so nothing is said if that fails.
  static func tell(_ key: String) {
    guard let path else { return }
    let fileSystem = PosixFileSystem()
    guard let root = try? fileSystem.openDirectory(at: path) else { return }
    defer { fileSystem.close(root) }
    try? fileSystem.replace("work", in: root, with: Array(key.utf8))
  }
}
