import Foundation
import Glibc
import Stint

/// A named pipe that somebody else reads.
final class Fifo: Sink {
  private let descriptor: Int32

  /// Makes the pipe unless it is there, and waits for its reader.
  init(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 || errno == EEXIST else {
      throw WaveFile.Fault(
        description: "\(path) cannot be made: \(String(cString: strerror(errno))).")
    }
    descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw WaveFile.Fault(
        description: "\(path) cannot be opened: \(String(cString: strerror(errno))).")
    }
    // From here on a full pipe is no reason to wait.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close(descriptor)
  }

  func write(_ bytes: Data) throws -> Int {
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    if errno == EAGAIN || errno == EINTR { return 0 }
    throw WaveFile.Fault(
      description: "The pipe cannot be written: \(String(cString: strerror(errno))).")
  }
}
