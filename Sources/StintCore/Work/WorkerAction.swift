extension WorkerMachine {
  /// What the driver has to do, in the order given.
  package enum Action: Hashable, Sendable {
    /// Ask the system for a task and answer with ``taskGranted(_:at:)`` or ``taskDenied(_:at:)``.
    case beginTask
    /// End this task.
    case endTask(BackgroundTaskIdentifier)
    /// A stint begins: write it to the journal and start the ticks.
    case stintBegan
    /// Run one chunk of at most this cost from the newest state.
    case runChunk(cost: Double)
    /// Ask the running chunk to give up.
    case raiseStopFlag
    /// Make the newest complete state durable; a chunk may be running meanwhile (W14).
    case save
    /// Put the result where it belongs.
    case deliver
    /// Call ``timePassed(at:)`` at this instant, in place of an earlier request; nil takes the
    /// request back.
    case wake(Instant?)
    /// The stint is over: stop the ticks and write the end to the journal. The state is durable if
    /// it could be made so.
    case stintEnded(StintSummary)
    /// Tell the user and the journal.
    case notice(WorkerNotice)
    /// Nothing of the worker runs afterwards (W6).
    case ended(WorkerOutcome)
  }

  package typealias Phase = WorkerPhase

  /// How soon a requested stop takes effect (W11).
  package enum StopMode: Hashable, Sendable {
    /// Save what is complete and stop; the running chunk is given up.
    case now
    /// Go on until the next checkpoint is durable.
    case afterNextCheckpoint
  }
}

/// Where a worker stands.
public enum WorkerPhase: Hashable, Sendable {
  /// Not started.
  case idle
  /// Waits for the system's answer to its request for a task.
  case registering
  /// Chunks run.
  case working
  /// No chunk is started any more; the state is made durable, then the task is ended.
  case closing(StintEnd)
  /// The computation is complete; the result is being put where it belongs.
  case delivering
  /// The stint is over; the next begins when the application becomes active.
  case parked(StintEnd)
  /// Paused by request; the next stint begins when it is resumed.
  case paused
  /// Ended for good.
  case ended(WorkerOutcome)
}

extension WorkerPhase {
  /// Whether a stint is over and another one may follow.
  package var isBetweenStints: Bool {
    switch self {
    case .parked, .paused: true
    case .idle, .registering, .working, .closing, .delivering, .ended: false
    }
  }
}

/// The account of one stint.
public struct StintSummary: Hashable, Sendable {
  /// Why it ended.
  public var end: StintEnd
  /// Work time that this stint made durable.
  public var saved: Duration
  /// Work time of complete chunks that could not be made durable.
  public var lost: Duration
  /// From registration to the end.
  public var elapsed: Duration
  /// Chunks completed.
  public var chunks: Int
  /// Checkpoints made durable.
  public var checkpoints: Int
  /// What was left before the deadline at the end; nil if the time was unlimited.
  public var unused: Duration?
  /// Whether it ended for lack of time and nothing new is durable (W13).
  public var isFruitless: Bool
  /// What the next step and its checkpoint take; nil if nothing was measured.
  public var leastBudget: Duration?
  /// What its last chunks took, for the stints of later processes.
  public var measured: [WorkHistory.MeasuredChunk]
}

/// Why a stint ended in order.
public enum StintEnd: String, Hashable, Sendable, Codable, CaseIterable {
  /// The fit test: the next chunk did not fit what was left.
  case didNotFit
  /// The expiration handler cut a chunk that was running.
  case expired
  /// The time was extended after the warning; the next stint follows in the same trip.
  case extended
  /// The system refused the task.
  case denied
  /// A pause was requested.
  case paused
  /// A stop was requested (signal, stop file or API).
  case stopRequested
  /// The work is complete.
  case finished
  /// An error ended it.
  case failed
}

/// How a worker ended for good.
public enum WorkerOutcome: Hashable, Sendable {
  /// The result is durable under its final name.
  case finished
  /// A stop was requested; what was complete is saved.
  case stopped(ExpiryReason)
  /// An error; the sentence is for the user.
  case failed(StintError)
}

/// Something that the user should know but that ends nothing.
public enum WorkerNotice: Hashable, Sendable {
  /// The system denied the task in the foreground: the work goes on, but an end will come without a
  /// warning (W1).
  case unprotected(DenialReason)
  /// The system denied the task in the background: saved and stopped (W1).
  case denied(DenialReason)
  /// The stint used more than the policy's share of its lead (W12).
  case nearMiss(left: Duration, lead: Duration)
  /// A checkpoint took longer than its prediction (W12).
  case slowCheckpoint(took: Duration, predicted: Duration)
  /// The job has never had a durable checkpoint (W12).
  case neverSaved
  /// A checkpoint could not be written (C4).
  case saveFailed(StintError, inARow: Int)
  /// The running chunk was given up because its time had run out.
  case chunkGivenUp
  /// By the measurements of this stint the longest step fits no stint; the next one measures again
  /// before the work is refused (W2).
  case stepTooLong(expected: Duration, budget: Duration)
  /// A chunk takes so much of a budget that a large part of it is of no use: what is left does not
  /// hold another one (W12).
  case chunkTooLargeForBudget(chunk: Duration, budget: Duration, unused: Duration)
}

extension WorkerNotice: CustomStringConvertible {
  /// The notice as a full sentence.
  public var description: String {
    switch self {
    case .unprotected(let reason):
      "The system did not grant a task, so the work is unprotected: \(reason)."
    case .denied(let reason):
      "The system did not grant a task in the background: \(reason)."
    case .nearMiss(let left, let lead):
      "The stint ended \(left.compactText) before its deadline, with a lead of \(lead.compactText); "
        + "a longer lead gives it more room."
    case .slowCheckpoint(let took, let predicted):
      "A checkpoint took \(took.compactText), longer than the predicted \(predicted.compactText)."
    case .neverSaved:
      "This job has no durable checkpoint yet; everything so far would be done again."
    case .saveFailed(let error, let inARow):
      "A checkpoint could not be written (\(inARow) in a row): \(error)"
    case .chunkGivenUp:
      "The running chunk did not end in time and was given up; it will be done again."
    case .stepTooLong(let expected, let budget):
      "The longest step that cannot be split seems to take about \(expected.compactText), which no budget of "
        + "\(budget.compactText) can hold; the next stint measures again before the work is refused."
    case .chunkTooLargeForBudget(let chunk, let budget, let unused):
      "A chunk takes about \(chunk.compactText), and \(unused.compactText) of this budget of "
        + "\(budget.compactText) became no saved work; smaller chunks would use more of it."
    }
  }
}
