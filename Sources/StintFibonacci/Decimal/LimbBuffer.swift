/// Binary limbs on the heap, for GMP's low-level functions.
final class LimbBuffer: @unchecked Sendable {
  // Unchecked: one thread writes at a time, or each its own part.
  let limbs: UnsafeMutablePointer<UInt>
  let count: Int

  init(count: Int) {
    limbs = .allocate(capacity: max(count, 1))
    self.count = count
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(UnsafeBufferPointer(start: limbs, count: count))
  }

  deinit {
    limbs.deallocate()
  }
}
