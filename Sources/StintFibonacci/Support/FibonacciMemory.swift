import StintRuntime

/// How a process that computes one number keeps its memory.
package enum FibonacciMemory {
  /// Blocks below this size are too few to matter beside the program itself.
  private static let leastBytes = 1 << 20

  /// Gives what the steps before the last one have freed back to the kernel; to be called before
  /// the work, for a process of its own.
  ///
  /// Only the binary formats need it. Their last step holds two products side by side, and what the
  /// smaller steps have left in the C library's pools would come on top. Blocks of nearly half the
  /// number and more get a mapping of their own: those of the last step, so that nothing else pays
  /// for pages that are cleared anew. The rest comes from one pool. One thread holds one product at
  /// a time, far less, and would only take a hundredth longer.
  package static func prepare(_ index: FibonacciIndex, format: FibonacciFormat, threads: Int) {
    guard threads > 1 else { return }
    switch format {
    case .hex, .raw:
      // A factor of the last step has half the number's bytes.
      let bytes = FibonacciLength.bits(index.value) / 8 * 15 / 32
      guard bytes >= leastBytes else { return }
      MemoryPools.share(1)
      MemoryPools.keep(freedBytes: bytes)
    case .decimal, .digits: break
    }
  }
}
