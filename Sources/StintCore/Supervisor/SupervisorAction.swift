extension SupervisorMachine {
  /// What the supervisor has to do.
  package enum Action: Hashable, Sendable {
    /// Start the command and let its time begin.
    case start
    /// Send a signal to the command's group, or in the foreground to its process; stopped, it is
    /// continued so that it can hear.
    case signal(Int32)
    /// Suspend the command.
    case freeze
    /// Let it run again; its time begins anew.
    case thaw(withGrant: Bool)
    /// Kill the command's group, and all of its descendants until none is left.
    case killAll
    /// The process that asks has this time, and the command with it; nil for ever.
    case requestStop(signal: Int32, grace: Duration?)
    /// Report `timePassed` at this instant, or never.
    case wake(at: Instant?)
    /// The command is gone: reap it, end its task, and write down how the stint ended.
    case endStint(StintOutcome)
    /// Report `restEnded` after this time.
    case rest(Duration)
    /// Stop, as the terminal has asked the command to, and report `continued`.
    case stopSelf(wholeGroup: Bool)
    /// Tell the user.
    case say(Message)
    /// Nothing more is to be done.
    case leave(SupervisorExit)
  }

  /// What is worth telling.
  package enum Message: Hashable, Sendable {
    /// A signal is sent because time is up or somebody asked for it (`-v`).
    case sending(Int32)
    /// The command could not be started.
    case notStarted(CommandStartFailure)
    /// It dumped its core.
    case dumpedCore
    /// It was killed or crashed and is started again.
    case startedAgain(after: StintOutcome, restartsLeft: Int)
    /// It was killed or has crashed too often.
    case noRestartsLeft(StintOutcome)
    /// It showed no progress for as long as it may, and is stopped (X6).
    case stalled
    /// It has stalled more often than it may be started again (X6).
    case stalledTooOften
    /// Three stints in a row left the checkpoint and done files as they were (W13, X4).
    case noProgress(after: StintOutcome)
    /// It was started as often as it may be: so many times (X3).
    case noStintsLeft(after: Int)
    /// It ended with 0 after a warning, which counts as finished for want of anything that says
    /// otherwise (X1).
    case takenForFinished
    /// It ended with 0, and its done file is not there or is the one from before the job (X2).
    case notDone(isOld: Bool)
    /// No time is left for another stint.
    case timeIsOver
    /// Processes did not vanish although they were sent SIGKILL.
    case leftBehind
  }

  /// What became of one stint of the command.
  package enum StintOutcome: Hashable, Sendable {
    /// The command exited with 0.
    case finished
    /// It exited with a status that says it failed.
    case failed(Int32)
    /// It asked to be run again.
    case asksAgain
    /// It exited by itself, and its work is not done: with 0 after a warning or without its done
    /// file, or with any status at the expiry of a resumable command.
    case leftUnfinished
    /// Its time ended, and it ended in time of the signal that told it so.
    case stoppedInTime(CommandEnd)
    /// It was killed at its deadline.
    case killed
    /// A signal ended it that the supervisor had not sent.
    case crashed(Int32, dumpedCore: Bool)
    /// A terminal's key ended it, whose signal went to its group alone: whoever pressed it wants
    /// all of it to end.
    case interrupted(Int32)
    /// It was never started, or was started no more.
    case notRun

    /// Whether another stint could go on with the work.
    var leavesWork: Bool {
      switch self {
      case .asksAgain, .leftUnfinished, .stoppedInTime, .killed, .crashed: true
      case .finished, .failed, .interrupted, .notRun: false
      }
    }

    var isCrash: Bool { if case .crashed = self { true } else { false } }
  }
}
