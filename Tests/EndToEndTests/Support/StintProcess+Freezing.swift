import Dispatch
import Foundation
import Glibc

extension StintProcess {
  /// Stops the process as soon as a condition on the files of its directory holds.
  ///
  /// - Returns: Whether it stands still; false if it ended before.
  func freeze(in scratch: Scratch, when condition: @escaping @Sendable (Scratch) -> Bool)
    async throws -> Bool
  {
    let pid = pid
    let watch = Result { try FolderWatch(scratch.path) }
    nonisolated(unsafe) let folders = try watch.get()
    // Off the pool of the tests: it blocks, and what it waits for may last a millisecond.
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInteractive).async {
        while !condition(scratch), ![nil, "Z"].contains(StintProcess.state(of: pid)) {
          folders.waitForChange(milliseconds: 20)
        }
        kill(pid, SIGSTOP)
        continuation.resume()
      }
    }
    return try await standsStill()
  }

  /// Stops the process now.
  ///
  /// - Returns: Whether it stands still; false if it ended before.
  func freeze() async throws -> Bool {
    send(SIGSTOP)
    return try await standsStill()
  }

  /// A thread that waits for the disk stops only when the disk has answered.
  private func standsStill() async throws -> Bool {
    try await waitUntil("the stop of every thread") {
      if hasEnded { return true }
      let states = threadStates
      return !states.isEmpty && states.allSatisfy { $0 == "T" }
    }
    return !hasEnded
  }

  private var threadStates: [Character] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return threads.compactMap { Self.stateLetter(ofStatAt: "/proc/\(pid)/task/\($0)/stat") }
  }
}
