import Foundation
import Glibc

/// A terminal of 100 columns whose other end the test holds.
final class PseudoTerminal {
  /// What a program opens.
  let path: String
  private let descriptor: Int32
  // ioctl_tty(2); Swift sees neither these nor the functions that stand on them.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  private var received = Data()

  init() throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var locked: Int32 = 0
    var number: UInt32 = 0
    guard descriptor >= 0, ioctl(descriptor, Self.setLock, &locked) == 0,
      ioctl(descriptor, Self.getNumber, &number) == 0
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = "/dev/pts/\(number)"
    var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  deinit { close(descriptor) }

  /// Types something.
  func type(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Everything that has appeared so far.
  var text: String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer.prefix(count)
    }
    return String(decoding: received, as: UTF8.self)
  }
}

extension PseudoTerminal {
  /// Starts a program that this terminal controls.
  func start(_ command: [String], in scratch: Scratch) throws -> StintProcess {
    try StintProcess(command, in: scratch, environment: ["TERM": "xterm"], terminal: path)
  }

  /// Waits for the end of a program and reads what it writes meanwhile.
  ///
  /// Its output is what appeared.
  func end(of process: StintProcess) async throws -> FinishedProcess {
    try await waitUntil("the end: \(text)") {
      _ = text
      return process.hasEnded
    }
    var ended = try await process.wait()
    ended.output = Data(text.utf8)
    return ended
  }
}
