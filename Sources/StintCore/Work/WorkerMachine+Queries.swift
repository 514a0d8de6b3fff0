// What can be read off at any time.

extension WorkerMachine {
  /// Whether a checkpoint is being written.
  package var isSaving: Bool { running.save != nil }

  /// How far the work is: the newest complete state while it goes on, what is durable once the
  /// stint is over (W10).
  package var progress: WorkProgress {
    switch phase {
    case .idle, .registering, .working, .closing, .delivering, .ended(.finished):
      work.outlook.progress
    case .parked, .paused, .ended(.stopped), .ended(.failed): work.durableProgress
    }
  }

  /// The outlook of the newest complete state.
  package var outlook: Outlook { work.outlook }

  /// The job's own time up to the newest complete state.
  package var completedWorkTime: Duration { work.workTime }

  /// The job's own time up to the newest durable state.
  package var savedWorkTime: Duration { work.durableWorkTime }

  /// The job's own time that an end now would keep: all of it once the result is durable.
  package var keptWorkTime: Duration {
    phase == .ended(.finished) ? work.workTime : work.durableWorkTime
  }

  /// The expected time to finish, without the pauses between stints; nil before anything is learnt.
  package var estimateToFinish: Duration? {
    guard fitTest.chunks.canPredict else { return nil }
    return fitTest.chunks.expected(cost: work.outlook.remainingCost)
  }

  /// The share of the whole work that a second of work time completes; nil before anything is
  /// learnt.
  package var speed: Double? {
    guard let left = estimateToFinish?.inSeconds, left > 0 else { return nil }
    return (1 - work.outlook.progress.fraction) / left
  }

  /// What the worker has learnt of its chunks and checkpoints.
  package var learnt: FitTest { fitTest }
}

extension WorkerMachine {
  /// When the newest durable state became so in this process; nil before the first checkpoint.
  package var lastDurable: Instant? { work.durable == nil ? nil : work.savedAt }

  /// The job's own time up to the state that is being saved, or up to the newest complete one.
  package var workTimeOfSave: Duration { running.save?.workTime ?? work.workTime }
}

extension WorkerMachine {
  /// The phase in the words of a report.
  package var reportState: StatusReport.State {
    switch phase {
    case .working: running.chunk == nil && running.save != nil ? .saving : .running
    case .closing: .saving
    case .delivering: .running
    case .idle, .registering: .registering
    case .parked: .waiting
    case .paused: .paused
    case .ended(.finished): .finished
    case .ended(.stopped), .ended(.failed): .waiting
    }
  }
}
