import CStint

/// The main thread of a program that has nothing else to do there.
package enum MainQueue {
  /// Serves the main queue for ever on the calling thread, which must be main.
  package static func serve() -> Never {
    let failure = stint_serve_main_queue()
    preconditionFailure("The main queue cannot be waited for: errno \(-failure).")
  }
}
