/// What is to end a worker's stint, or its work.
struct EndRequests: Hashable, Sendable {
  /// A requested stop.
  struct Stop: Hashable, Sendable {
    var reason: ExpiryReason
    var mode: WorkerMachine.StopMode
  }

  private(set) var stop: Stop?
  private(set) var pause = false
  /// What ended the work, while the last state is still being saved.
  private(set) var failure: StintError?

  /// A second request can only make it sooner.
  mutating func stopRequested(_ mode: WorkerMachine.StopMode, reason: ExpiryReason) {
    if stop == nil || mode == .now { stop = Stop(reason: stop?.reason ?? reason, mode: mode) }
  }

  mutating func pauseRequested() { pause = true }

  mutating func resumeRequested() { pause = false }

  mutating func failed(_ error: StintError) { failure = error }
}
