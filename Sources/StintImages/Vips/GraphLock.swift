#if Images
import CVips
import StintCore

/// Lets one thread at a time make or drop nodes of graphs.
///
/// Several operations of libvips (convolutions, the vertical half of a reduction, morphology)
/// compile their inner loop with Orc when they are built, and free it when the last image that
/// needs it is dropped. libvips locks the compilation; Orc's list of the pieces of code that it has
/// given out is freed into without any lock (as of Orc 0.4.33, `orc_code_chunk_free`). So two
/// threads that build and drop graphs corrupt the heap sooner or later, or are given one piece of
/// code for two loops. Evaluation needs no lock.
final class GraphLock: @unchecked Sendable {
  // Unchecked: the mutex is GLib's, made for any thread, and never moves.

  /// The process has one Orc, so one lock.
  static let shared = GraphLock()

  private let mutex = UnsafeMutablePointer<GRecMutex>.allocate(capacity: 1)

  private init() {
    g_rec_mutex_init(mutex)
  }

  /// Runs a body while no other thread makes or drops a node.
  ///
  /// It may be nested: dropping an image lets go of its owner, which may hold another image.
  func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    g_rec_mutex_lock(mutex)
    defer { g_rec_mutex_unlock(mutex) }
    return try body()
  }

  /// Drops a reference.
  static func release(_ object: UnsafeMutableRawPointer) {
    shared.hold { g_object_unref(object) }
  }

  /// Whether building an operation reads a file, or evaluates an image that need not be small.
  ///
  /// Such an operation compiles nothing, and is not to hold up the other threads.
  static func isSpared(_ operation: String) -> Bool {
    operation == "hist_find" || operation.holds("load") || operation.holds("save")
  }
}
#endif
