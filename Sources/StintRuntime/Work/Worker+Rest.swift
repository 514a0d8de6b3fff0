import Dispatch
import StintCore

// What a worker holds of its store, and what it does between two stints that a program asks for.

extension Worker {
  /// The store that this worker has for itself; nil if that is the business of whoever records the
  /// end.
  var heldStore: (any HeldStore)? {
    options.finishRecord == nil ? store as? any HeldStore : nil
  }

  /// Has a lane do what may use the store until ``storeIsUsed(_:)``.
  func useStore(
    on lane: any WorkerLane, _ work: LaneWork, _ body: @escaping @Sendable (Instant) -> Void
  ) {
    core.withLock { $0.storeUses += 1 }
    lane.enqueue(work, body)
  }

  /// Says what came of a use of the store, once it is over.
  func storeIsUsed(_ tell: () -> Void) {
    let isLast = core.withLock { core in
      core.storeUses -= 1
      return core.storeUses == 0
    }
    tell()
    if core.withLock({ $0.end != nil || $0.mayRest }) { letGoOfStore() }
    if isLast { resumePauseWaiters() }
  }

  /// Gives the store back if the worker has ended or rests, and nothing of it can write any more.
  func letGoOfStore() {
    turns.sync {
      let (end, isOver) = core.withLock { core in
        let isOver = core.end != nil && core.storeUses == 0 && !core.isResting
        if !isOver, !core.mayRest { return (core.end, false) }
        core.isResting = true
        return (core.end, true)
      }
      guard isOver else { return }
      // While it rests nothing keeps the worker alive but the program.
      if end == nil { host.detach(self) }
      heldStore?.letGo(of: self, isFinished: end == .finished)
    }
  }

  /// Takes the store again after a rest, and hears of the application again.
  ///
  /// - Returns: False if the store is not to be had, which ends the worker, or if the worker has
  ///   ended.
  func endRest() -> Bool {
    let result = turns.sync { () -> Result<Bool, any Error> in
      guard core.withLock({ $0.isResting && $0.end == nil }) else { return .success(false) }
      return Result {
        try heldStore?.hold(for: self)
        core.withLock { $0.isResting = false }
        host.attach(self)
        return true
      }
    }
    switch result {
    case .failure(let error):
      core.withLock { $0.machine = nil }
      ended(.failed(StintError(wrapping: error, while: "taking the job up again")))
      return false
    case .success(true):
      handle { [host] in
        host.isInForeground ? $0.becameActive(at: $1) : $0.enteredBackground(at: $1)
      }
      return true
    case .success(false):
      return core.withLock { $0.end == nil }
    }
  }

  /// Begins another stint: in the trip that there is, unless the last one ended in it, else in a
  /// new one.
  func goOn() {
    withdrawPause()
    guard endRest() else { return }
    // A requested stop is never revoked (W11).
    if let reason = host.stopReason { stopWasRequested(reason) }
    if core.withLock({ $0.end != nil }) { return }
    if host.trip == nil { host.enterTrip {} }
    guard let trip = host.trip else { return }
    let isSame = core.withLock { $0.tripOfLastStint == trip }
    handle { machine, moment in
      if case .parked = machine.phase {
        // One stint in a trip: what did not fit before fits less now.
        if isSame { return [] }
        _ = machine.pauseRequested(at: moment)
      }
      return machine.resumeRequested(at: moment)
    }
  }
}
