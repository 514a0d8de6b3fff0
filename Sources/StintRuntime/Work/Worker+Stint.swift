public import StintCore

extension Worker {
  /// Runs one stint: loads the job, registers, takes the application to the background and works
  /// until the work is done or the time is up, with everything saved.
  ///
  /// Where a supervisor grants the time, the stint is what it grants, and the application follows
  /// that one's decisions. An application that is in the background already stays there, and the
  /// stint gets what is left of its time: several workers of an application share it.
  ///
  /// Called again after ``StintResult/unfinished``, it begins another stint, in the next trip if
  /// something else still holds the present one. Between the two the worker rests: it gives its job
  /// back, and does not begin by itself when the application becomes active. If another worker has
  /// run the job meanwhile, it fails with the code `busy`. A program that drops a worker instead
  /// may open the job again at once, unless a chunk has not seen its stop flag for 0.1 s: that one
  /// keeps the job until it ends.
  ///
  /// Cancelled, it saves, stops and returns ``StintResult/stopped(_:)``.
  ///
  /// - Returns: What came of the stint.
  /// - Throws: ``StintError`` if the work failed, or the job could not be loaded; its `underlying`
  ///   is the error that the computation threw, if that was another one.
  public func runStint() async throws -> StintResult {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (outcome, isOver, isFirst, isStarted) = core.withLock { core in
          if core.outcome == nil { core.stintWaiters.append(continuation) }
          core.ownsTrip = true
          let isStarted = core.startedAt != nil
          let isFirst = !exchange(&core.beginsStint, with: true) && !isStarted
          return (core.outcome, core.end != nil, isFirst, isStarted)
        }
        if let outcome { continuation.resume(with: Self.result(of: outcome)) }
        if isOver { return }
        guard isFirst else {
          // Before the start, another thread is about to begin the stint that this one waits for.
          if isStarted { goOn() }
          return
        }
        // In this order: held from the beginning, and the first chunk knows how much time there is.
        host.enterTrip { holdWhileLoading() }
        start()
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
    let trip = host.trip
    core.withLock { $0.tripOfLastStint = trip }
    endTrip()
    if waiters.isEmpty, !core.withLock({ $0.mayRest }) { return }
    reporter.enqueue(.report) { _ in
      self.letGoOfStore()
      let mustWait = self.core.withLock { core in
        core.pauseWaiters += waiters
        return core.storeUses > 0
      }
      guard mustWait else { return self.resumePauseWaiters() }
      // A chunk that was told to give up still has the job.
      self.pauseTimer.set(self.host.now.advanced(by: Self.givingUpMayTake)) { [weak self] in
        self?.resumePauseWaiters()
      }
    }
  }

  /// How long the news of a stint's end waits for a chunk that has not seen its stop flag.
  private static var givingUpMayTake: Duration { .milliseconds(100) }

  /// Tells the end of a stint once the job is given back.
  func resumePauseWaiters() {
    let waiters = core.withLock { exchange(&$0.pauseWaiters, with: []) }
    guard !waiters.isEmpty else { return }
    pauseTimer.stop()
    for waiter in waiters { waiter.resume(returning: .unfinished) }
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
