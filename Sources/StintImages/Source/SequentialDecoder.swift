#if Images
import Dispatch
import StintRuntime
import StintCore

/// A decoder that runs on a thread of its own and hands out rows when they are asked for.
///
/// Loaders without random access must deliver all rows in one evaluation: what they have read ahead
/// is lost between two. So one evaluation goes through the whole image, and waits when the next
/// rows are not needed yet. It ends early when the decoder goes away.
final class SequentialDecoder: Sendable {
  /// Rows that somebody waits for.
  private struct Request: @unchecked Sendable {
    // Unchecked: the asking thread waits until it is served, and touches the buffer only before and
    // after.
    var rows: Range<Int>
    /// Where they go; nil to pass over them.
    var target: UnsafeMutableRawPointer?
  }

  private struct State {
    var row = 0
    var request: Request?
    var isClosed = false
    /// Whether the end is waited for.
    var isAwaited = false
    var failure: (any Error)?
    var hasEnded = false
  }

  /// The evaluation was given up because no more rows are needed.
  private struct Closed: Error {}

  /// What the thread and the owner share; the owner going away ends the thread.
  private final class Shared: Sendable {
    let state = Protected(State())
    let wanted = DispatchSemaphore(value: 0)
    let served = DispatchSemaphore(value: 0)

    /// Hands out rows as they come; waits where they are not wanted yet.
    func take(_ first: Int, _ count: Int, _ bytes: UnsafeRawBufferPointer) throws {
      let rowBytes = bytes.count / count
      var row = first
      while row < first + count {
        guard let request = state.withLock({ $0.request }) else {
          wanted.wait()
          if state.withLock({ $0.isClosed }) { throw Closed() }
          continue
        }
        let end = min(first + count, request.rows.upperBound)
        let from = max(row, request.rows.lowerBound)
        if let target = request.target, from < end, let source = bytes.baseAddress {
          (target + (from - request.rows.lowerBound) * rowBytes).copyMemory(
            from: source + (from - first) * rowBytes, byteCount: (end - from) * rowBytes)
        }
        row = end
        reached(end, of: request)
      }
    }

    private func reached(_ row: Int, of request: Request) {
      state.withLock { state in
        state.row = row
        if row == request.rows.upperBound { state.request = nil }
      }
      if row == request.rows.upperBound { served.signal() }
    }

    func ended(_ failure: (any Error)?) {
      let isAwaited = state.withLock { state in
        defer { state.request = nil }
        state.hasEnded = true
        state.failure = failure
        return state.request != nil || state.isAwaited
      }
      if isAwaited { served.signal() }
    }
  }

  private let shared = Shared()
  private let thread: SerialThread

  /// Begins to decode; nothing is kept waiting for it.
  ///
  /// - Parameter image: An image opened for reading once, from top to bottom.
  init(_ image: VipsImage) {
    thread = SerialThread(name: "stint-decode", isPrompt: false)
    let (shared, image) = (shared, Protected<VipsImage?>(image))
    thread.enqueue {
      let failure = Self.evaluate(image, into: shared)
      // By now the image is let go of, and the decoder closed.
      shared.ended(failure)
    }
  }

  private static func evaluate(
    _ image: Protected<VipsImage?>, into shared: Shared
  ) -> (any Error)? {
    guard let image = image.withLock({ $0.take() }) else { return nil }
    do {
      try image.forEachStrip(ofRows: 0..<image.height) { try shared.take($0, $1, $2) }
      return nil
    } catch {
      return error
    }
  }

  /// Waits until the decoder is closed, after the last row was read.
  ///
  /// - Throws: What it says in the end.
  func finish() throws {
    let hasEnded = shared.state.withLock { state in
      state.isAwaited = !state.hasEnded
      return state.hasEnded
    }
    if !hasEnded { shared.served.wait() }
    if let failure = shared.state.withLock({ $0.failure }) { throw failure }
  }

  deinit {
    shared.state.withLock { $0.isClosed = true }
    shared.wanted.signal()
  }

  /// The row that comes next.
  var row: Int { shared.state.withLock { $0.row } }

  /// Waits for rows; those before them are passed over.
  ///
  /// - Parameters:
  ///   - rows: Rows that have not been passed yet.
  ///   - target: Room for them; nil to pass over them as well.
  /// - Throws: What the decoder says.
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer?) throws {
    let hasEnded = shared.state.withLock { state in
      precondition(rows.lowerBound >= state.row, "rows are read from top to bottom")
      if !state.hasEnded { state.request = Request(rows: rows, target: target) }
      return state.hasEnded
    }
    if !hasEnded {
      shared.wanted.signal()
      shared.served.wait()
    }
    let (failure, row) = shared.state.withLock { ($0.failure, $0.row) }
    if row >= rows.upperBound { return }
    throw failure
      ?? StintError(.damaged, "The decoder ended after \(row) rows, before the last one.")
  }
}
#endif
