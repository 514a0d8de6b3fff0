import Glibc
package import StintCore

extension LaunchRecord {
  /// With what this process was started: its file, its arguments, its folder.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if some of it is no text.
  package static func ofThisProgram() throws(StintError) -> LaunchRecord {
    guard let file = ProgramPath.own(), let program = text(file) else {
      throw StintError(.unavailable, "the path of this program is not known, or is not UTF-8")
    }
    guard let current = getcwd(nil, 0) else {
      throw StintError(
        .unavailable, "the working directory is gone: \(String(cString: strerror(errno)))",
        errno: errno)
    }
    defer { free(current) }
    let bytes = UnsafeBufferPointer(start: current, count: strlen(current)).map {
      UInt8(bitPattern: $0)
    }
    guard let directory = text(bytes) else {
      throw StintError(.unavailable, "the path of the working directory is not UTF-8")
    }
    // What was no UTF-8 has become U+FFFD.
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard !arguments.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
      throw StintError(.unavailable, "an argument of this program is not UTF-8")
    }
    return LaunchRecord(
      words: [program] + arguments, directory: directory, umask: StoreIdentity.fileModeMask)
  }

  private static func text(_ bytes: [UInt8]) -> String? {
    String(validating: bytes, as: UTF8.self)
  }
}

/// Where the program of this process is.
package enum ProgramPath {
  /// The path of the program that this process runs, as it was when the program was started; nil if
  /// `/proc` does not show it.
  package static func own() -> [UInt8]? {
    guard let path = KernelFile.link("/proc/self/exe") else { return nil }
    // The kernel marks a name that is not there any more, or is another file's (proc_pid_exe(5)).
    let mark = Array(" (deleted)".utf8)
    guard path.suffix(mark.count) == mark[...],
      access(path.map(CChar.init(bitPattern:)) + [0], F_OK) != 0
    else { return path }
    return path.dropLast(mark.count)
  }
}
