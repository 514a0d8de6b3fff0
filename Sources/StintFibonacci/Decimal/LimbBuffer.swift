/// Binary limbs on the heap, for GMP's low-level functions.
final class LimbBuffer: @unchecked Sendable {
  // Unchecked: one thread writes at a time, or each its own part.
  let limbs: UnsafeMutablePointer<UInt>
  let count: Int

  /// Makes room for limbs without writing any; behind them, for `spare` more on the way.
  init(count: Int, spare: Int = 0) {
    limbs = .allocate(capacity: max(count + spare, 1))
    self.count = count
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(UnsafeBufferPointer(start: limbs, count: count))
  }

  deinit {
    limbs.deallocate()
  }
}
