import Glibc
import StintCore
import StintRuntime

/// Standard output as the verbs write it.
package struct StandardOutput: Sendable {
  package init() {}

  /// Writes all of a text.
  ///
  /// - Throws: ``StintError`` with the code `io`; the errno is `EPIPE` if the reader has gone.
  package func write(_ text: String) throws {
    try write(bytes: Array(text.utf8))
  }

  /// Writes all of some bytes.
  ///
  /// - Throws: ``StintError`` with the code `io`; the errno is `EPIPE` if the reader has gone.
  func write(bytes: [UInt8]) throws {
    let stream = OpenFile(descriptor: STDOUT_FILENO, path: "the standard output")
    try bytes.withUnsafeBytes { try stream.writeStream($0) }
  }

  /// Writes the account of a process that ends with a status.
  ///
  /// - Returns: The status; another if the process has finished and its account could not be
  ///   written. A reader that has gone wants no account.
  func writeAccount(_ text: String, status: Int32) -> Int32 {
    do {
      try write(text)
      return status
    } catch {
      let error = StintError(wrapping: error, while: "writing the account")
      guard error.errno != EPIPE else { return status }
      complain(error)
      return status == ExitStatus.finished ? ExitStatus.of(error) : status
    }
  }

  /// Writes all of a text; if that fails, there is nobody left to write for, and the process ends.
  func writeOrEnd(_ text: String) {
    do {
      try write(text)
    } catch {
      let error = StintError(wrapping: error, while: "writing")
      if error.errno == EPIPE { SignalWatch.die(of: SIGPIPE) }
      complain(error)
      exit(ExitStatus.of(error))
    }
  }
}
