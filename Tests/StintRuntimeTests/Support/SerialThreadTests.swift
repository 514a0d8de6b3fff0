import CStint
import Glibc
import Testing

@testable import StintRuntime

@Suite("Threads")
struct SerialThreadTests {
  private struct Seen: Sendable {
    var blocked: [Int32] = []
    var sliceNanoseconds: Int64 = -1
  }

  private func look(isPrompt: Bool) async -> Seen {
    let thread = SerialThread(name: "looking", isPrompt: isPrompt)
    return await withCheckedContinuation { continuation in
      thread.enqueue {
        var seen = Seen()
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        seen.blocked = (1...31).filter { sigismember(&mask, $0) == 1 }
        _ = stint_slice_get(&seen.sliceNanoseconds)
        continuation.resume(returning: seen)
      }
    }
  }

  @Test("L8 a thread's own faults are not blocked, so that a crash is told; every other signal is")
  func faults() async {
    let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
    let unblockable = [SIGKILL, SIGSTOP]
    #expect(
      await look(isPrompt: false).blocked
        == (1...31).filter { !(faults + unblockable).contains($0) })
  }

  @Test("A19 a thread that must be woken soon asks for short turns, one that computes does not")
  func turns() async throws {
    let (prompt, long) = (await look(isPrompt: true), await look(isPrompt: false))
    // A kernel before 6.12 shows no turns and takes no wishes.
    guard long.sliceNanoseconds > 0 else { return }
    #expect(prompt.sliceNanoseconds == Int64(STINT_PROMPT_SLICE_NS))
    #expect(long.sliceNanoseconds > Int64(STINT_PROMPT_SLICE_NS))
  }
}
