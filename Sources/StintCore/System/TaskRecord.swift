/// How an expiry reaches the owner of a task.
package enum TaskDelivery: Hashable, Sendable {
  /// It does not: there is no handler (A13).
  case none
  /// A handler on the main queue, which has returned when the call has.
  case mainQueue
  /// A handler on the main queue that may suspend; it counts as returned at the deadline at the
  /// latest.
  case mainQueueAsync
  /// Handed over at once, away from the main queue; it counts as returned when the task is ended.
  case direct
  /// As direct, and the system ends the task itself shortly before the deadline (A21).
  case scoped
}

/// What the machine knows of one task.
package struct TaskRecord: Equatable, Sendable {
  /// How far the task is.
  package enum Progress: Hashable, Sendable {
    /// Asked for, not answered.
    case pending
    /// Granted; its handler has not been called.
    case open
    /// The call of its handler is on its way to the main queue.
    case called
    /// Its handler is running.
    case claimed
    /// Its handler has returned.
    case returned
    /// The expiry was handed to its owner.
    case handed
  }

  package let identifier: BackgroundTaskIdentifier
  package let name: String
  package let origin: TaskOrigin
  package let delivery: TaskDelivery
  package let began: Instant
  /// Whether the system began it, and the program only has to complete it (Q4).
  package var isSystems = false
  package var progress: Progress
  /// The announcement under which its handler was called.
  package var epoch = 0
  /// When the call of its handler was sent, and once it runs, when it began.
  package var calledAt = Instant.distantFuture
  /// Why the authority refused it; such a task no longer holds anything.
  package var denial: DenialReason?
  package var overrunSaid = false
  package var heldTooLongSaid = false
  package var leftOpenSaid = false

  /// Whether the task keeps the application from being suspended.
  package var holds: Bool { denial == nil }

  /// Whether the task has had its one call and only waits to be ended (A17).
  package var isSpent: Bool {
    switch progress {
    case .pending, .open: denial != nil
    // Also one that was refused: A4 promises it this call.
    case .called: false
    case .claimed, .returned, .handed: true
    }
  }

  /// Whether somebody still works on this task's expiry.
  package var isHandling: Bool {
    switch progress {
    case .called, .claimed, .handed: denial == nil
    case .pending, .open, .returned: false
    }
  }

  /// Whether its handler is still to return where the handlers' return counts: one on the main
  /// queue, and no asynchronous one (A14).
  package var awaitsReturn: Bool { delivery == .mainQueue && isHandling }

  /// Whether nobody works on its end any more, once the handlers on the main queue have returned
  /// (A14).
  package var isLeftOpen: Bool { holds && !isHandling }

  /// Whether it costs the process its life at the handlers' return, if that is the termination
  /// point (A14).
  package var isJudgedAtReturn: Bool {
    switch delivery {
    // A grant that is pending has had no handler that could return.
    case .none, .mainQueue: holds && progress != .pending
    case .mainQueueAsync, .direct, .scoped: false
    }
  }

  /// How the list of open tasks shows it.
  package var listed: OpenTask.State {
    if denial != nil { return .denied }
    switch progress {
    case .pending: return .pending
    case .open: return .granted
    case .called: return .warned
    case .claimed: return .handling
    case .returned, .handed: return .spent
    }
  }
}
