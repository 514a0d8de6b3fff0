import Glibc
package import StintCore

extension OpenFile {
  /// Writes all of the bytes to what may be a pipe, a terminal or a device, and may not want to
  /// wait.
  package func writeStream(_ bytes: UnsafeRawBufferPointer) throws(StintError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        done += count
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw fileError("cannot write to", path, errno)
      }
    }
  }

  /// Reads what may be a pipe or a terminal in pieces, to its end or until the body returns false.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package func readStream(
    _ take: (ArraySlice<UInt8>) throws(StintError) -> Bool
  ) throws(StintError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fileError("cannot read", path, errno) }
      guard count > 0, try take(buffer.prefix(count)) else { return }
    }
  }
}
