import Glibc
import StintCore
import StintRuntime

/// Looks whether a word names a program: on `PATH`, or by its path.
final class ProgramSearch: Sendable {
  private let known = Protected<[String: Bool]>([:])

  /// Whether a word is a path of a file that can be run, or a name that `PATH` has one for.
  ///
  /// What was found is not looked up again.
  func finds(_ word: String, in surroundings: Surroundings) -> Bool {
    if let found = known.withLock({ $0[word] }) { return found }
    let found = Self.looksUp(word, in: surroundings)
    known.withLock { $0[word] = found }
    return found
  }

  private static func looksUp(_ word: String, in surroundings: Surroundings) -> Bool {
    path(of: word, in: surroundings) != nil
  }

  /// The absolute path of a program; nil if it is none.
  static func path(of word: String, in surroundings: Surroundings) -> String? {
    guard !word.isEmpty else { return nil }
    let base = FilePath(surroundings.workingDirectory)
    if word.contains("/") {
      let path = FilePath(word).from(base)
      return isProgram(path) ? path.text : nil
    }
    // An empty folder in PATH is the working directory (POSIX, "Environment Variables").
    return (surroundings.environment["PATH"] ?? "/bin:/usr/bin")
      .split(separator: ":", omittingEmptySubsequences: false)
      .map { FilePath(String($0)).from(base).appending(FilePath(word)) }.first(where: isProgram)?
      .text
  }

  private static func isProgram(_ path: FilePath) -> Bool {
    var status = stat()
    return stat(path.text, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path.text, X_OK) == 0
  }
}
