import Glibc
import StintCore
import StintRuntime

/// What `stint-images --version --json` says.
struct ImagesVersion: Hashable {
  var version: String
  /// The version of libvips; nil where it was built without.
  var libvips: String?

  /// Asks the program.
  ///
  /// - Parameter path: Where it is.
  /// - Returns: What it said; nil if it does not start or says something else.
  static func ask(_ path: String) -> ImagesVersion? {
    guard let bytes = output(of: [path, "--version", "--json"]) else { return nil }
    guard let object = try? JSONObject(bytes), let version = object["version"]?.text else {
      return nil
    }
    return ImagesVersion(version: version, libvips: object["libvips"]?.text)
  }

  /// All that a program writes to its standard output, at most 64 KiB; nil if it cannot be started.
  private static func output(of words: [String]) -> [UInt8]? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let pid = spawned(words, output: ends[1])
    close(ends[1])
    guard let pid else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        read(ends[0], $0.baseAddress! + count, $0.count - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { break }
      count += got
    }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? Array(bytes[..<count]) : nil
  }

  /// Starts a program whose standard output is a pipe.
  ///
  /// The standard output of this process is the pipe meanwhile; nothing else of a verb that only
  /// looks writes to it.
  private static func spawned(_ words: [String], output: Int32) -> Int32? {
    let saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard saved >= 0, dup2(output, STDOUT_FILENO) >= 0 else { return nil }
    defer {
      dup2(saved, STDOUT_FILENO)
      close(saved)
    }
    var command = CommandSpecification(words: words.map { Array($0.utf8) })
    command.leadsGroup = false
    return try? command.start().get()
  }
}
