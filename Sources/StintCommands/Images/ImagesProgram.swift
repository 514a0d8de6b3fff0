import CStint
import Glibc
import StintCore
import StintRuntime

/// The program `stint-images`, which knows libvips: where it is, and how this process becomes it.
///
/// Loading libvips takes longer than the whole start of `stint`, so only what works on images pays for it.
package enum ImagesProgram {
  /// The program's file name.
  package static let name = "stint-images"

  /// The path of the program: beside this one, else in `libexec/stint` of the same prefix.
  ///
  /// - Parameters:
  ///   - executable: The path of this program.
  ///   - isExecutable: Whether a path can be executed.
  /// - Returns: The first path that can be executed; nil if none can.
  static func path(
    besides executable: String?, isExecutable: (String) -> Bool = { access($0, X_OK) == 0 }
  ) -> String? {
    candidates(besides: executable).first(where: isExecutable)
  }

  /// Where the program is looked for, in order.
  static func candidates(besides executable: String?) -> [String] {
    guard let executable, let slash = executable.lastIndex(of: "/") else { return [] }
    let folder = String(executable[..<slash])
    return ["\(folder)/\(name)", "\(folder)/../libexec/stint/\(name)"]
  }

  /// The path of the program that this process runs.
  static func ownPath() -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink(
        "/proc/self/exe", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  /// Becomes the program, with the same words, descriptors, signal mask, process number, trip and supervisor.
  ///
  /// - Parameter launch: How this process came to be.
  /// - Throws: ``StintError`` with the code `unavailable` if it is not there or cannot be executed.
  package static func become(_ launch: Launch) throws -> Never {
    guard let path = path(besides: ownPath()) else { throw absent() }
    launch.start.invitation?.handOn()
    setenv(LaunchTime.variable, String(launch.start.launchedAt.nanoseconds), 1)
    var words: [UnsafeMutablePointer<CChar>?] = ([name] + launch.arguments).map { strdup($0) }
    words.append(nil)
    execv(path, words)
    let code = errno
    words.forEach { free($0) }
    throw StintError(
      .unavailable,
      "The image filters cannot be started: \(path): \(String(cString: strerror(code))).",
      errno: code)
  }

  private static func absent() -> StintError {
    let places = candidates(besides: ownPath()).joined(separator: " or ")
    return StintError(
      .unavailable,
      "The image filters are not installed: there is no \(places.isEmpty ? name : places). "
        + "Build Stint with its trait Images and libvips-dev, and run make install.", errno: ENOENT)
  }
}
