import StintCore
import StintRuntime

/// A worker of any computation, as the command line drives it.
protocol RunnableWorker: Sendable {
  func start()
  /// Holds the application until the job is loaded, from before the start on.
  func holdWhileLoading()
  func pause()
  func resume()
  func stop(reason: ExpiryReason)
  func stopAfterNextCheckpoint(reason: ExpiryReason)
  /// The whole process is about to be stopped.
  func willBeStopped()
  /// The whole process was stopped for so long.
  func wasStopped(for duration: Duration)
  func statusReport() -> StatusReport?
  /// Whether it has ended for good; its outcome may still be on its way.
  var hasEnded: Bool { get }
}

extension Worker: RunnableWorker {
  var hasEnded: Bool {
    switch phase {
    case .ended: true
    case .idle, .registering, .working, .closing, .delivering, .parked, .paused: false
    }
  }
}
