public import StintCore

extension Worker {
  /// Runs one stint: loads the job, registers, takes the application to the background and works
  /// until the work is done or the time is up, with everything saved.
  ///
  /// Where a supervisor grants the time, the stint is what it grants, and the application follows
  /// that one's decisions. Called again after ``StintResult/unfinished``, it begins another stint.
  /// Cancelled, it saves, stops and returns ``StintResult/stopped(_:)``.
  ///
  /// - Returns: What came of the stint.
  /// - Throws: ``StintError`` if the work failed, or the job could not be loaded.
  public func runStint() async throws -> StintResult {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (outcome, isOver, isAnother) = core.withLock { core in
          if core.outcome == nil { core.stintWaiters.append(continuation) }
          core.ownsTrip = true
          return (core.outcome, core.end != nil, core.startedAt != nil)
        }
        if let outcome { continuation.resume(with: Self.result(of: outcome)) }
        if isOver { return }
        // In this order: held from the beginning, and the first chunk knows how much time there is.
        if !isAnother { holdWhileLoading() }
        host.enterTrip(isAnother: isAnother)
        if isAnother { resume() } else { start() }
      }
    } onCancel: {
      stopWhenCancelled()
    }
  }

  /// Says that a stint is over, and tells those who wait for that, after its last report.
  func tellPause() {
    let waiters = core.withLock { core -> [CheckedContinuation<StintResult, any Error>]? in
      let isTold = exchange(&core.toldPauses, with: core.pauses) == core.pauses
      return isTold ? nil : exchange(&core.stintWaiters, with: [])
    }
    guard let waiters else { return }
    endTrip()
    if waiters.isEmpty { return }
    reporter.enqueue(.report) { _ in
      for waiter in waiters { waiter.resume(returning: .unfinished) }
    }
  }

  /// Ends the trip with the stint if nothing else is done in it.
  func endTrip() {
    if options.ownsTrip || core.withLock({ $0.ownsTrip }) { host.idle() }
  }

  static func result(of outcome: WorkerOutcome) -> Result<StintResult, any Error> {
    switch outcome {
    case .finished: .success(.finished)
    case .stopped(let reason): .success(.stopped(reason))
    case .failed(let error): .failure(error)
    }
  }
}
