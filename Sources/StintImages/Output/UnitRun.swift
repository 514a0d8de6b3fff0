#if Images
import StintRuntime

/// Rows that their owner keeps unchanged while threads read them.
struct LentRows: @unchecked Sendable {
  // Unchecked: nobody writes to them meanwhile.
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The bytes from an offset on: that many, or all that are left.
  func piece(at offset: Int, atMost count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + count, bytes.count)])
  }
}

/// Independent units of work that are encoded on several threads and written in order.
struct UnitRun {
  /// How many units there are.
  let count: Int
  /// The bytes that a unit is made of.
  let unitBytes: Int

  /// Encodes a few units for each thread at a time, and writes them.
  ///
  /// - Parameters:
  ///   - threads: How many encode.
  ///   - stopFlag: Looked at before each batch; once it is raised, the rest is left.
  ///   - encode: Makes the unit with this number; called on any thread.
  ///   - write: Called on this thread with each unit, in order.
  /// - Throws: The first error of either; units before it are written.
  func forEach<Unit: Sendable>(
    threads: Int, stopFlag: StopFlag?,
    encode: @escaping @Sendable (Int) throws -> Unit, write: (Int, Unit) throws -> Void
  ) throws {
    let threads = max(1, threads)
    // Several units a thread, so that none waits long for the others; large ones are few, for the
    // sake of memory.
    let perThread = max(1, min(8, (8 << 20) / max(1, unitBytes)))
    var next = 0
    while next < count, stopFlag?.isRaised != true {
      let first = next
      let size = min(threads * perThread, count - first)
      let units = try Parallel.map(count: size, threads: threads) { try encode(first + $0) }
      for (index, unit) in units.enumerated() { try write(first + index, unit) }
      next += size
    }
  }
}
#endif
