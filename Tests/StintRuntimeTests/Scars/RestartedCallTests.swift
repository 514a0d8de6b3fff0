import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Restarted calls")
struct RestartedCallTests {
  @Test("R15 a file operation that a signal interrupts is repeated, and any other failure is not")
  func repeated() {
    for (code, expected) in [(EINTR, 4), (EIO, 1), (EAGAIN, 1), (ENOSPC, 1)] {
      var calls = 0
      let result = PosixFileSystem().restarted { () -> Int in
        calls += 1
        errno = code
        // The last of them succeeds.
        return calls == 4 ? 7 : -1
      }
      #expect(calls == expected, "errno \(code)")
      #expect(result == (expected == 4 ? 7 : -1), "errno \(code)")
    }
  }
}
