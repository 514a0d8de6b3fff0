/// How a command's process ended.
package enum CommandEnd: Hashable, Sendable {
  /// It exited with a status.
  case exited(Int32)
  /// A signal ended it.
  case signalled(Int32, dumpedCore: Bool)

  /// The status by which a shell tells it.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let number, _): 128 + number
    }
  }

  /// Whether one of these signals ended it, be it that a shell in between tells so by its status.
  package func isDeath(ofAnyOf signals: [Int32]) -> Bool {
    switch self {
    case .exited(let status): signals.contains { status == 128 + $0 }
    case .signalled(let number, _): signals.contains(number)
    }
  }
}

/// What is known of a command when it has ended, besides how.
package struct CommandEvidence: Hashable, Sendable {
  /// Whether its done file is there, and is another one than when the job began.
  package var isDone = false
  /// Whether its done file is the one that was there when the job began.
  package var hasOldDoneFile = false
  /// The share that its progress file says is done; nil if that says nothing.
  package var progress: Double?
  /// Whether it ignored the signal that warned it.
  package var ignoredSignal = false
  /// Whether its files could not be looked at in time, so that they say nothing against it.
  package var isUnseen = false

  package init(
    isDone: Bool = false, hasOldDoneFile: Bool = false, progress: Double? = nil,
    ignoredSignal: Bool = false, isUnseen: Bool = false
  ) {
    self.isDone = isDone
    self.hasOldDoneFile = hasOldDoneFile
    self.progress = progress
    self.ignoredSignal = ignoredSignal
    self.isUnseen = isUnseen
  }
}

/// Why a command could not be started.
package struct CommandStartFailure: Error, Hashable, Sendable {
  /// How far the start came.
  package enum Stage: Hashable, Sendable {
    /// No process could be made.
    case process
    /// The cgroup could not be entered.
    case cgroup
    /// The process could not become the command.
    case program
  }

  /// How far the start came.
  package var stage: Stage
  /// The error number of the call that failed.
  package var errno: Int32

  package init(stage: Stage, errno: Int32) {
    self.stage = stage
    self.errno = errno
  }

  /// The exit status by which `timeout` and shells tell it.
  package var exitStatus: Int32 {
    switch stage {
    case .process, .cgroup: SupervisorExit.cannotSupervise
    // ENOENT and ENOTDIR on Linux.
    case .program: errno == 2 || errno == 20 ? SupervisorExit.notFound : SupervisorExit.cannotInvoke
    }
  }
}

/// How a supervisor ends.
package enum SupervisorExit: Hashable, Sendable {
  /// Time is up, as `timeout` says it.
  package static let timedOut: Int32 = 124
  /// The supervisor itself failed, as `timeout` says it.
  package static let cannotSupervise: Int32 = 125
  /// The command was found and could not be run.
  package static let cannotInvoke: Int32 = 126
  /// The command was not found.
  package static let notFound: Int32 = 127
  /// The command was killed at its deadline.
  package static let killed: Int32 = 137
  /// Run me again.
  package static let unfinished: Int32 = 75
  /// Three stints in a row came to nothing (W13).
  package static let noProgress: Int32 = 69

  /// With a status.
  case status(Int32)
  /// By the signal that ended the command, so that whoever waits sees the same.
  case signal(Int32)
}
