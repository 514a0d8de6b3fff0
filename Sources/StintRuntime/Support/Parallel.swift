import Dispatch

/// Runs independent pieces of work on a few threads.
///
/// The threads are our own and are kept for the next time. Those of Dispatch are watched by it
/// through `/proc`, which ends the process where a PID namespace has none of its own
/// (`unshare --pid --fork`).
package enum Parallel {
  private static let idle = Protected<[SerialThread]>([])

  /// Calls the body with each number below the count, on that many threads, and gives the results
  /// in order.
  ///
  /// - Throws: The first error in the order of the items; the other items are still run.
  package static func map<Result: Sendable>(
    count: Int, threads: Int, _ body: @escaping @Sendable (Int) throws -> Result
  ) throws -> [Result] {
    let workers = min(threads, count)
    guard workers > 1 else { return try (0..<count).map(body) }
    let slots = Protected<[Swift.Result<Result, any Error>?]>(Array(repeating: nil, count: count))
    perform(workers: workers) { worker in
      for index in stride(from: worker, to: count, by: workers) {
        let result = Swift.Result { try body(index) }
        slots.withLock { $0[index] = result }
      }
    }
    return try slots.withLock { $0 }.compactMap { try $0?.get() }
  }

  /// From this many bytes on, two threads copy: most of the time goes into memory that is touched
  /// for the first time.
  private static let sharedBytes = 4 << 20

  /// Copies to memory of the same size.
  package static func copy(
    _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
  ) {
    precondition(source.count == target.count, "the two sizes differ")
    let half = source.count >= sharedBytes ? source.count / 2 : source.count
    // Each thread writes a part of its own.
    nonisolated(unsafe) let (source, target) = (source, target)
    perform(workers: half < source.count ? 2 : 1) { worker in
      let part = worker == 0 ? 0..<half : half..<source.count
      UnsafeMutableRawBufferPointer(rebasing: target[part])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[part]))
    }
  }

  /// Calls the body once for each worker, one of them on this thread, and waits for all.
  private static func perform(workers: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let helpers = take(workers - 1)
    let done = DispatchSemaphore(value: 0)
    for (index, helper) in helpers.enumerated() {
      helper.enqueue {
        body(index + 1)
        done.signal()
      }
    }
    body(0)
    for _ in helpers { done.wait() }
    idle.withLock { $0 += helpers }
  }

  private static func take(_ count: Int) -> [SerialThread] {
    let kept = idle.withLock { idle in
      let kept = Array(idle.suffix(count))
      idle.removeLast(kept.count)
      return kept
    }
    return kept
      + (kept.count..<count).map { _ in
        SerialThread(name: "stint-parallel", isPrompt: false, blocksSignals: false)
      }
  }
}
