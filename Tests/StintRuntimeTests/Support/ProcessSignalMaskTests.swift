import Glibc
import Testing

@testable import StintRuntime

@Suite("The process's signal mask")
struct ProcessSignalMaskTests {
  private func blocked(_ mask: sigset_t?) -> [Int32]? {
    guard var mask else { return nil }
    return (1...64).filter { sigismember(&mask, $0) == 1 }
  }

  @Test("R9 the mask is read as the kernel writes it")
  func parse() {
    let status = "Name:\tstint\nState:\tS (sleeping)\nSigPnd:\t0000000000000000\nSigBlk:\t"
    #expect(blocked(ProcessSignalMask.parse(status + "0000000000000000\n")) == [])
    #expect(blocked(ProcessSignalMask.parse(status + "0000000000084003\n")) == [1, 2, 15, 20])
    // A thread that has ended shows an empty mask that nobody had.
    let zombie = status.replacing("S (sleeping)", with: "Z (zombie)")
    #expect(ProcessSignalMask.parse(zombie + "0000000000000000\n") == nil)
    #expect(ProcessSignalMask.parse("") == nil)
  }

  @Test("R9 a thread for a user's code has the mask of the main thread, wherever it was made")
  func ofThread() async {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let thread = SerialThread(name: "user", isPrompt: false, blocksSignals: false)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    let seen = await withCheckedContinuation { continuation in
      thread.enqueue {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        continuation.resume(returning: mask)
      }
    }
    #expect(blocked(seen) == blocked(ProcessSignalMask.current()))
    #expect(blocked(seen)?.contains(SIGTERM) == false)
  }
}
