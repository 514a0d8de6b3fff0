import CStint
import Glibc
import StintCore
import StintRuntime

/// The file of a program, held open so that it is still run when its path names another file, or
/// none.
final class ProgramFile: Sendable {
  /// Its path when it was opened, as bytes.
  let path: [UInt8]
  let descriptor: Int32

  /// Opens the program that this process runs.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if `/proc` does not show it.
  static func own() throws(StintError) -> ProgramFile {
    try ProgramFile("/proc/self/exe", path: ownPath() ?? Array("stint".utf8))
  }

  /// Opens the program with a path.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  convenience init(_ path: String) throws(StintError) {
    try self.init(path, path: Array(path.utf8))
  }

  private init(_ file: String, path: [UInt8]) throws(StintError) {
    self.path = path
    // Swift does not see O_PATH without _GNU_SOURCE.
    descriptor = open(file, Self.forPathAlone | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StintError(
        .unavailable, "The program \(file) cannot be opened: \(String(cString: strerror(errno))).",
        errno: errno)
    }
  }

  deinit { close(descriptor) }

  /// O_PATH (open(2)), which a file that can be executed and not read is opened with, too.
  private static let forPathAlone: Int32 = 0o10000000

  /// The path of the program that this process runs, as it was when the program was started; nil if
  /// `/proc` does not show it.
  static func ownPath() -> [UInt8]? { ProgramPath.own() }

  /// A command of this program.
  func command(_ words: [[UInt8]]) -> CommandSpecification {
    var command = CommandSpecification(words: [path] + words)
    command.program = descriptor
    return command
  }
}

extension ProgramFile {
  /// Gives this process the name of its program, if it was started from a descriptor.
  ///
  /// The kernel then takes the descriptor's number for the name, which `ps` and `pgrep` show.
  static func nameProcess() {
    let name = KernelFile.text("/proc/self/comm")?.dropLast() ?? ""
    guard !name.isEmpty, name.allSatisfy(\.isNumber), let word = Environment.words().first else {
      return
    }
    stint_name_thread(FilePath(String(decoding: word, as: UTF8.self)).name.text)
  }
}
