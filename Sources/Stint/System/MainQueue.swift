import Foundation

/// The main thread of a program that has nothing else to do there.
package enum MainQueue {
  /// Serves the main queue for ever on the calling thread, which must be main.
  ///
  /// Not `dispatchMain()`: on Linux that parks the main thread in `sigsuspend` with no signal blocked, so a signal that another
  /// thread waits for takes its default action instead.
  package static func serve() -> Never {
    while true { RunLoop.main.run() }
  }
}
