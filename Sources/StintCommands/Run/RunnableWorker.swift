import Stint
import StintCore

/// A worker of any computation, as the command line drives it.
protocol RunnableWorker: Sendable {
  func start()
  func pause()
  func resume()
  func stop(reason: ExpiryReason)
  func stopAfterNextCheckpoint(reason: ExpiryReason)
  func statusReport() -> StatusReport?
}

extension Worker: RunnableWorker {}
