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
    var text = text
    try text.withUTF8 { bytes in
      let stream = OpenFile(descriptor: STDOUT_FILENO, path: "the standard output")
      try stream.writeStream(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes all of a text; if that fails, there is nobody left to write for, and the process ends.
  func writeOrEnd(_ text: String) {
    do {
      try write(text)
    } catch {
      let error = StintError(wrapping: error, while: "writing")
      if error.errno == EPIPE { SignalWatch.die(of: SIGPIPE) }
      writeToStandardError("stint: \(Sentence.of(error))\n")
      exit(ExitStatus.of(error))
    }
  }
}
