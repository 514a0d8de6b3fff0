import CStint
import Glibc
import StintCore
import StintRuntime

/// A program that does the work of some kinds: where it is, and how this process replaces itself by
/// it.
package struct HelperProgram: Sendable {
  /// The program's file name.
  package let name: String
  /// What it is for, as the beginning of a sentence.
  let purpose: String
  /// The library that it alone links, as its `--version --json` names it.
  let library: String
  /// What to do where it is missing, as a clause.
  let remedy: String

  /// The first path of the program that can be executed; nil if none can.
  func path(
    besides executable: String?, isExecutable: (String) -> Bool = { access($0, X_OK) == 0 }
  ) -> String? {
    candidates(besides: executable).first(where: isExecutable)
  }

  /// Where the program is looked for: beside this one, then in `libexec/stint` of the same prefix.
  func candidates(besides executable: String?) -> [String] {
    guard let executable, let slash = executable.lastIndex(of: "/") else { return [] }
    let folder = String(executable[..<slash])
    return ["\(folder)/\(name)", "\(folder)/../libexec/stint/\(name)"]
  }

  /// The path of the program that this process runs.
  static func ownPath() -> String? {
    ProgramFile.ownPath().map { String(decoding: $0, as: UTF8.self) }
  }

  /// Becomes the program, with the same words, descriptors, signal mask, process number, trip and
  /// supervisor.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if it is not there or cannot be executed.
  package func become(_ launch: Launch) throws -> Never {
    let handed = Self.handed.withLock { $0[name] }
    guard let path = handed.map({ "/proc/self/fd/\($0)" }) ?? path(besides: Self.ownPath()) else {
      let places = candidates(besides: Self.ownPath()).joined(separator: " or ")
      throw StintError(
        .unavailable,
        "\(purpose) are not installed: there is no \(places.isEmpty ? name : places); \(remedy).",
        errno: ENOENT)
    }
    try AddressSpace.checkLibraries()
    launch.start.invitation?.handOn()
    setenv(LaunchTime.variable, String(launch.start.launchedAt.nanoseconds), 1)
    if let chain = ChainTie.path { setenv(ChainTie.variable, chain, 1) }
    var words: [UnsafeMutablePointer<CChar>?] = ([name] + launch.arguments).map { word in
      strdup(Environment.bytes(of: word).map { CChar(bitPattern: $0) } + [0])
    }
    words.append(nil)
    if let handed { _ = stint_exec_descriptor(handed, words, environ) } else { execv(path, words) }
    let code = errno
    words.forEach { free($0) }
    throw StintError(
      .unavailable,
      "\(purpose) cannot be started: \(path): \(String(cString: strerror(code))).",
      errno: code)
  }
}

extension HelperProgram {
  /// The environment variable in which a batch hands on the programs that it opened at its start:
  /// names and descriptors.
  private static let variable = "STINT_PROGRAMS"
  private static let handed = Protected<[String: Int32]>([:])

  /// The value of the variable for programs that are open.
  static func variables(handingOn programs: [(name: String, file: ProgramFile)]) -> [String: String]
  {
    if programs.isEmpty { return [:] }
    return [
      variable: programs.map { "\($0.name)=\($0.file.descriptor)" }.joined(separator: ":")
    ]
  }

  /// Takes what was handed on out of the environment, so that no command inherits it; before there
  /// is any thread.
  static func takeHandedOn() {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return }
    unsetenv(variable)
    for part in text.split(separator: ":") {
      let fields = part.split(separator: "=")
      guard fields.count == 2, let descriptor = Int32(fields[1]), descriptor > STDERR_FILENO,
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
      else { continue }
      handed.withLock { $0[String(fields[0])] = descriptor }
    }
  }
}
