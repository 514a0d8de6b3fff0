import CStint

/// The pools that the C library allocates from.
package enum MemoryPools {
  /// Lets all threads share that many pools of memory instead of one for each thread; call it
  /// before there are threads.
  ///
  /// Each pool keeps what was freed in it for itself, so where a few threads in turn hold buffers
  /// of megabytes, that is several times what is in use; and each takes up to 128 MiB of address
  /// space at once. If the C library refuses, only some memory is wasted.
  package static func share(_ count: Int) {
    _ = stint_share_memory_pools(Int32(clamping: count))
  }

  /// Lets each pool keep that many freed bytes for the next allocations; call it before there are
  /// threads.
  ///
  /// For work that allocates and frees the same megabytes again and again: else each time the
  /// kernel takes the pages back and clears them anew. It may be refused, as above.
  package static func keep(freedBytes: Int) {
    _ = stint_keep_freed_memory(Int32(clamping: freedBytes))
  }

  /// Gives what was freed back to the kernel, in whole pages; takes a moment that grows with what
  /// was kept.
  ///
  /// For work on many things in turn, each with buffers of other sizes: the little that stays of
  /// each divides the room that the next would need, so that the pools grow without an end while
  /// hardly anything is in use.
  package static func giveBack() {
    stint_give_back_freed_memory()
  }
}
