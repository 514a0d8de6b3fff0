import Dispatch
import Stint

/// Runs independent pieces of work on a few threads.
enum Parallel {
  /// Calls the body with each number below the count, on so many threads, and gives the results in order.
  ///
  /// - Throws: The first error in the order of the items; the other items are still run.
  static func map<Result: Sendable>(
    count: Int, threads: Int, _ body: @Sendable (Int) throws -> Result
  ) throws -> [Result] {
    let workers = min(threads, count)
    guard workers > 1 else { return try (0..<count).map(body) }
    let slots = Protected<[Swift.Result<Result, any Error>?]>(Array(repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      for index in stride(from: worker, to: count, by: workers) {
        let result = Swift.Result { try body(index) }
        slots.withLock { $0[index] = result }
      }
    }
    return try slots.withLock { $0 }.compactMap { try $0?.get() }
  }
}
