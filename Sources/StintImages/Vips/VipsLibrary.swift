#if Images
import CVips
import StintRuntime
package import StintCore

/// The library libvips, as this process uses it.
package enum VipsLibrary {
  /// Its version, such as `8.14.1`.
  package static var version: String {
    "\(vips_version(0)).\(vips_version(1)).\(vips_version(2))"
  }

  /// Starts the library; every later call only sets the number of threads.
  ///
  /// Loaders that libvips marks as untrusted are blocked, and the cache of operations is off: it
  /// would keep images of earlier bands alive, and every graph here is built once.
  ///
  /// - Parameter threads: How many threads evaluate an image; nil leaves the number as it is.
  /// - Throws: `unavailable` if the library does not start.
  package static func start(threads: Int? = nil) throws(StintError) {
    try started.get()
    if let threads { vips_concurrency_set(Int32(clamping: max(1, threads))) }
  }

  /// How many threads evaluate an image.
  package static var threads: Int { Int(vips_concurrency_get()) }

  /// What computes pixels here, in words: another version, or other instructions of the processor,
  /// may round differently.
  package static var engine: String {
    "libvips \(version) \(vips_vector_isenabled() != 0 ? "with" : "without") vector instructions"
  }

  private static let started: Result<Void, StintError> = {
    guard stint_vips_init("stint") == 0 else {
      return .failure(VipsError.take("start", code: .unavailable))
    }
    block()
    vips_cache_set_max(0)
    let quiet = GLogLevelFlags(G_LOG_LEVEL_MESSAGE.rawValue | G_LOG_LEVEL_INFO.rawValue)
    g_log_set_handler("VIPS", quiet, { _, _, _, _ in }, nil)
    DecoderMessages.listen()
    return .success(())
  }()
}
#endif
