import CStint
import Glibc

/// The main thread of a program that has nothing else to do there.
package enum MainQueue {
  /// Serves the main queue for ever on the calling thread; on another than main, only waits.
  package static func serve() -> Never {
    // After an asynchronous `main` there is no main thread any more, and Dispatch serves the queue.
    while stint_is_main_thread() == 0 { pause() }
    let failure = stint_serve_main_queue()
    preconditionFailure("The main queue cannot be waited for: errno \(-failure).")
  }
}
