import CStint
import StintCore

extension OutputFile {
  /// Writes all of a file to a stream; says so once before the first byte goes where it cannot be
  /// taken back.
  ///
  /// - Throws: ``StintError`` with the code `io`; the errno is `EPIPE` if the reader has gone,
  ///   which is for the caller to judge (the process must ignore SIGPIPE to see it).
  func stream(
    _ file: OpenFile, to stream: OpenFile, begins: () -> Void
  ) throws(StintError) -> Published {
    Self.widen(stream)
    let isLost = !OutputDestination.isRegularFile(stream.descriptor)
    let sent = try PosixFileSystem().forEachPiece(of: file) { (piece, _) throws(StintError) in
      if isLost, !hasBegunStream.withLock({ $0 }) {
        begins()
        hasBegunStream.withLock { $0 = true }
      }
      try stream.writeStream(piece)
    }
    return Published(sent)
  }

  /// What a pipe may hold without privileges (`/proc/sys/fs/pipe-max-size`).
  private static let pipeBytes: Int32 = 1 << 20

  /// Makes room in a stream that is a pipe, so that its two ends wait for each other less often.
  ///
  /// It is only faster: anything else than a pipe is left alone, and so is a pipe that the kernel
  /// does not let grow.
  package static func widen(_ stream: OpenFile) {
    _ = stint_widen_pipe(stream.descriptor, pipeBytes)
  }
}
