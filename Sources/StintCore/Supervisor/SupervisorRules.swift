/// What a supervisor was told to do with its command.
package struct SupervisorRules: Hashable, Sendable {
  /// Whose meaning the exit status has after an expiry.
  package enum Style: Hashable, Sendable {
    /// As with GNU `timeout`: 124, whatever the command's own status, and 137 if it had to be
    /// killed.
    case timeout
    /// The command's own status: 0 finished, 75 run me again.
    case budget
  }

  /// What an exit status of 0 means that follows a warning.
  package enum AfterWarning: String, Hashable, Sendable, CaseIterable {
    /// The work is done.
    case finished
    /// The work was saved, and the command is to be started again.
    case unfinished
  }

  /// Whose meaning the exit status has after an expiry.
  package var style: Style
  /// What is sent at the lead, if that is another signal than the one that stops.
  package var warnSignal: Int32?
  /// What asks the command to end.
  package var stopSignal: Int32
  /// How long before the deadline it is asked to; with no warning signal this is the lead.
  package var stopLead: Duration
  /// How long it has after a signal that came from outside; nil for ever.
  package var stopGrace: Duration?
  /// Whether it is suspended at the deadline instead of killed.
  package var suspends = false
  /// Whether it stays in the supervisor's group, and only its own process is sent signals.
  package var isForeground = false
  /// Whether the command's own status is passed on after an expiry too.
  package var preservesStatus = false
  /// Whether the next stint follows by itself.
  package var untilDone = false
  /// How long the command rests between two stints.
  package var rest = Duration.seconds(1)
  /// How often in a row it is started again after it was killed or has crashed.
  package var maximumRestarts = 3
  /// Whether new content of a checkpoint file shows what it has saved.
  package var hasCheckpointFile = false
  /// Whether a file shows that its work is done; without it, no exit status does (X2).
  package var hasDoneFile = false
  /// Whether it tells how far it is in a progress file.
  package var hasProgressFile = false
  /// Whether it saves in a way that nothing shows: its expiry leaves it unfinished (X3).
  package var isResumable = false
  /// What an exit status of 0 after a warning means; nil to judge by the files (X1).
  package var afterWarning: AfterWarning?
  /// After how many stints, those of earlier processes included, it is not started again; nil for
  /// no limit (X3).
  package var maximumStints: Int?
  /// How long its progress and its checkpoint may stand still before it is stopped and started
  /// again; nil for ever (X6).
  package var stallAfter: Duration?
  /// Whether only the command's own process is warned and asked to end; what it has started is
  /// killed with it all the same (X7).
  package var signalsLeaderOnly = false
  /// Whether the command can be continued, so that it is unfinished, not failed, when it was
  /// stopped in time.
  package var isJob = false
  /// The status for "run me again".
  package var unfinishedStatus = SupervisorExit.unfinished

  /// SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM and SIGCONT on Linux.
  package static let (hangUp, interrupt, quit, kill, terminate, goOn):
    (
      Int32, Int32, Int32, Int32, Int32, Int32
    ) = (1, 2, 3, 9, 15, 18)

  /// SIGUSR1, SIGUSR2 and SIGXCPU, by which schedulers and users warn.
  static let hints: Set<Int32> = [10, 12, 24]
  /// How many stints a job may have of which nothing shows whether they bring it forward (X3).
  package static let mostStints = 1_000
  /// How many stints in a row may come to nothing (W13).
  package static let attempts = 3
  /// A second signal that comes sooner belongs to the first (W11).
  package static let leastBetweenSignals = Duration.milliseconds(200)
  /// How long processes that a command left behind may run on if they were told no deadline.
  package static let emptyingWithoutDeadline = Duration.milliseconds(300)
  /// How long processes may take to vanish that were sent SIGKILL, before the next stint begins.
  package static let vanishing = Duration.seconds(5)
  /// The same where no stint follows, and somebody waits for this process to end.
  package static let lastVanishing = Duration.milliseconds(500)

  package init(
    style: Style, stopSignal: Int32 = terminate, stopLead: Duration, stopGrace: Duration?
  ) {
    self.style = style
    self.stopSignal = stopSignal
    self.stopLead = stopLead
    self.stopGrace = stopGrace
  }

  /// Whether an option says how the command goes on in another stint (X5).
  package var saysHowItGoesOn: Bool { hasCheckpointFile || hasDoneFile || isResumable }

  /// Whether the content of a file shows whether a stint has brought the command forward (X4).
  package var showsContent: Bool { hasCheckpointFile || hasDoneFile && !isResumable }

  /// What an exit status of 0 after a warning means, if anything decides it.
  func meaningAfterWarning(of progress: Double?) -> AfterWarning? {
    if let afterWarning { return afterWarning }
    if saysHowItGoesOn { return .unfinished }
    guard hasProgressFile else { return nil }
    return progress.map { $0 >= 1 } ?? false ? .finished : .unfinished
  }

  /// Whether a signal asks the supervisor to end, and its command with it.
  package func asksToEnd(_ number: Int32) -> Bool {
    [Self.hangUp, Self.interrupt, Self.quit, Self.terminate, stopSignal].contains(number)
  }
}
