/// Decides what the system machine does not know of: how a command is warned, stopped and killed,
/// what its end means, and whether it is started again.
///
/// A value without effects, as ``SystemMachine`` is. The system machine says when the time is up
/// (its expiry and its termination are events here); this one says what that means for a process.
/// `docs/machines/supervisor.md` has every event in every phase.
package struct SupervisorMachine: Hashable, Sendable {
  /// Where the command stands.
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Not started.
    case idle
    /// Runs, and has time.
    case running
    /// Knows that its time ends.
    case expiring
    /// Suspended until the next grant.
    case suspended
    /// It has ended after it was asked to; what it left behind has until the deadline, or a moment.
    case emptying
    /// It was sent SIGKILL, or what it left behind was.
    case killed
    /// Between two stints.
    case resting
    /// Nothing more is to be done.
    case ended
  }

  package let rules: SupervisorRules
  package internal(set) var phase = Phase.idle
  /// Why its time ends, once that is so.
  var expiry: ExpiryReason?
  /// Its time ends because it showed no progress (X6).
  var hasStalled = false
  var deadline = Instant.distantFuture
  /// When the stop signal is due, while it is not sent.
  var stopDue = Instant.distantFuture
  /// When what the command left behind is killed, if it was told of no deadline.
  var emptyingEnd = Instant.distantFuture
  /// When the end of what was killed is waited for no longer.
  var vanishEnd = Instant.distantFuture
  /// How the command ended, while others of its family have not.
  var end: CommandEnd?
  /// The first signal by which somebody asked it to end.
  var askedBy: Int32?
  var askedAt = Instant.distantFuture
  /// The signal that a command which speaks has not been sent: it was told of the stop in words.
  var owedSignal: Int32?
  /// When a command is killed that its words did not end and that was sent the signal after them.
  var killDue = Instant.distantFuture
  var wasKilled = false
  /// It speaks to the system itself and learns of its expiry there.
  var isAdopted = false
  /// It has spoken in this stint.
  var spoke = false
  /// A signal that was passed on to it, by which a scheduler or a user warns, as Slurm's `--signal`
  /// does.
  var hint: Int32?
  /// What its files said when it ended.
  var evidence = CommandEvidence()
  /// Somebody asked for an end after this stint.
  var isLastStint = false
  /// Stopped by the terminal's keys, with the supervisor.
  var isStopped = false
  /// A checkpoint came in this stint.
  var hasProgressed = false
  /// Restarts since the last checkpoint.
  var restarts = 0
  /// Restarts after stalls since it last saved something later than at its beginning.
  var stallRestarts = 0
  /// When its stint began.
  var began = Instant.distantFuture
  /// Stints in a row without new content, those of earlier processes included (W13).
  var fruitlessStints: Int
  /// All stints that are over, those of earlier processes included.
  var stints: Int

  /// Creates the machine of a command that has not been started.
  ///
  /// - Parameters:
  ///   - rules: What was asked for.
  ///   - fruitlessStints: How many stints in a row came to nothing before this process.
  ///   - stints: How many stints there were before it.
  package init(rules: SupervisorRules, fruitlessStints: Int = 0, stints: Int = 0) {
    self.rules = rules
    self.fruitlessStints = fruitlessStints
    self.stints = stints
  }

  /// Whether it runs, and nobody has told it of an end.
  package var isInItsOwnTime: Bool { phase == .running && askedBy == nil }

  /// The supervisor is ready.
  package mutating func begun(now: Instant) -> [Action] {
    precondition(phase == .idle, "A supervisor begins once.")
    if rules.isJob, let most = rules.maximumStints, stints >= most {
      phase = .ended
      return [.say(.noStintsLeft(after: stints)), .leave(.status(SupervisorExit.noProgress))]
    }
    phase = .running
    began = now
    return [.start]
  }

  /// The command could not be started.
  package mutating func startFailed(_ failure: CommandStartFailure, now: Instant) -> [Action] {
    switch phase {
    case .idle, .emptying, .resting, .ended:
      preconditionFailure("Only a command that is to run can fail to start.")
    // Its time may have been over before it began.
    case .running, .expiring, .suspended, .killed:
      phase = .ended
      return [
        .wake(at: nil), .endStint(.notRun), .say(.notStarted(failure)),
        .leave(.status(failure.exitStatus)),
      ]
    }
  }

  /// The command speaks to the system itself: its tasks are told of an expiry, so it needs no
  /// signal.
  package mutating func adopted(now: Instant) -> [Action] {
    switch phase {
    // Race: its words were on their way when it ended.
    case .idle, .emptying, .resting, .ended: break
    case .running, .expiring, .suspended, .killed:
      isAdopted = true
      spoke = true
    }
    return []
  }

  /// The conversation with the command is over: from here on it is one that does not speak.
  ///
  /// One that is told of its end already is sent nothing for that: it closes its end as it exits.
  package mutating func conversationEnded(now: Instant) -> [Action] {
    isAdopted = false
    return []
  }

  /// The command's checkpoint or done file has new content.
  package mutating func checkpointChanged(now: Instant) -> [Action] {
    switch phase {
    // Race: the look at the file was on its way when the stint ended.
    case .idle, .resting, .ended: break
    case .running, .expiring, .suspended, .emptying, .killed:
      hasProgressed = true
      restarts = 0
      fruitlessStints = 0
      // What the first moment of a stint brings does not show that it will not stall again.
      if let stallAfter = rules.stallAfter, began.duration(to: now) >= stallAfter {
        stallRestarts = 0
      }
    }
    return []
  }

  /// Time has passed; what is due is done.
  package mutating func timePassed(now: Instant) -> [Action] {
    switch phase {
    // Races: the wake-up was on its way when what it was for was over.
    case .idle, .running, .suspended, .resting, .ended:
      return []
    case .emptying:
      guard emptyingEnd != .distantFuture else { return [] }
      return now >= emptyingEnd ? killed(now: now) : [.wake(at: emptyingEnd)]
    case .expiring:
      guard now < killDue else { return killedByForce(now: now) }
      // Race: the signal was sent when the end came nearer.
      let actions = now >= stopDue ? stopNow() : []
      let next = min(stopDue, killDue)
      return next == .distantFuture ? actions : actions + [.wake(at: next)]
    case .killed:
      guard let end, now >= vanishEnd else { return [.wake(at: vanishEnd)] }
      return [.say(.leftBehind)] + conclude(end, now: now)
    }
  }

  /// The actions that tell of a signal and send it.
  func sending(_ number: Int32) -> [Action] {
    [.say(.sending(number)), .signal(number)]
  }
}
