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
}
