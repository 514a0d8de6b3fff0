import Dispatch
import Stint
import StintCore

/// Lets threads begin together, and tells how long it was from there until all were done.
final class Rendezvous: Sendable {
  private let parties: Int
  private let arrived = DispatchSemaphore(value: 0)
  private let go = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  init(parties: Int) {
    self.parties = parties
  }

  /// Waits for the others, runs the body, and says that it is done.
  func meet(_ body: () -> Void) {
    arrived.signal()
    go.wait()
    body()
    done.signal()
  }

  /// Lets all parties go once all are there.
  ///
  /// - Returns: The time until the last was done.
  func wait() -> Duration {
    for _ in 0..<parties { arrived.wait() }
    let began = BootClock.now
    for _ in 0..<parties { go.signal() }
    for _ in 0..<parties { done.wait() }
    return began.duration(to: BootClock.now)
  }
}
