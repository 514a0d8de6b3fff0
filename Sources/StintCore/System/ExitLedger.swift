/// What is known of a run that is gone, and why it went (L8).
///
/// A process that is killed writes nothing. So it says before what would kill it (its deadline, its
/// open tasks), and the next run infers the cause from that and reports it once.
public struct ExitLedger: Hashable, Sendable {
  /// How a process ended, as its parent saw it.
  public enum WaitStatus: Hashable, Sendable {
    /// It exited with a status.
    case exited(Int32)
    /// A signal ended it.
    case signaled(Int32)
  }

  /// An expiry that was announced before its handlers were called.
  public struct Announcement: Hashable, Sendable {
    /// When the process would be terminated.
    public var deadline: Instant
    /// The names of the tasks that were open.
    public var openTasks: [String]
    /// Whether all handlers had returned.
    public var handlersReturned: Bool

    /// Creates an announcement.
    ///
    /// - Parameters:
    ///   - deadline: When the process would be terminated.
    ///   - openTasks: The names of the tasks that were open.
    ///   - handlersReturned: Whether all handlers had returned.
    public init(deadline: Instant, openTasks: [String], handlersReturned: Bool = false) {
      self.deadline = deadline
      self.openTasks = openTasks
      self.handlersReturned = handlersReturned
    }
  }

  /// What became of the run.
  public enum Inference: Hashable, Sendable {
    /// It ended in order: there is nothing to report.
    case inOrder
    /// It was terminated.
    case terminated(TerminationCause)
    /// The machine was started anew while it ran.
    case machineRestarted
  }

  /// The boot in which the run took place; its instants mean nothing in another.
  public var bootID: String
  /// The last state that was recorded.
  public var lifeState: LifeState
  /// Whether the run said that it ended in order.
  public var endedInOrder = false
  /// The cause that the system wrote down before it ended the process.
  public var recordedCause: TerminationCause?
  /// The last announced expiry that was not followed by the end of the stint.
  public var announcement: Announcement?
  /// How the process ended, if its parent has said so.
  public var waitStatus: WaitStatus?
  /// Whether the cause has been reported.
  public private(set) var isReported = false

  /// Creates the ledger of a run.
  ///
  /// - Parameters:
  ///   - bootID: The boot in which the run took place.
  ///   - lifeState: The last state that was recorded.
  public init(bootID: String, lifeState: LifeState) {
    self.bootID = bootID
    self.lifeState = lifeState
  }

  /// Infers what became of the run.
  ///
  /// - Parameters:
  ///   - bootID: The present boot.
  ///   - now: The time of the present boot.
  /// - Returns: What became of the run.
  public func inference(bootID: String, now: Instant) -> Inference {
    if endedInOrder { return .inOrder }
    if let recordedCause { return .terminated(recordedCause) }
    switch waitStatus {
    case .exited:
      return .inOrder
    case .signaled(let number):
      if number != Self.kill { return .terminated(Self.cause(ofSignal: number)) }
    case nil:
      if bootID != self.bootID { return .machineRestarted }
    }
    return .terminated(causeOfKill(now: now, isSameBoot: bootID == self.bootID))
  }

  /// Gives the cause to report, once.
  ///
  /// - Parameters:
  ///   - bootID: The present boot.
  ///   - now: The time of the present boot.
  /// - Returns: The cause, or nil if there is none or it has been given before.
  public mutating func causeToReport(bootID: String, now: Instant) -> TerminationCause? {
    guard !isReported else { return nil }
    isReported = true
    switch inference(bootID: bootID, now: now) {
    case .terminated(let cause): return cause
    case .inOrder, .machineRestarted: return nil
    }
  }

  /// Why a process was killed that wrote nothing about it.
  private func causeOfKill(now: Instant, isSameBoot: Bool) -> TerminationCause {
    if lifeState == .suspended { return .killedWhileSuspended }
    guard let announcement else { return .signal(Self.kill) }
    // Gone before its deadline has come, it was not the deadline that ended it.
    if isSameBoot, now < announcement.deadline { return .signal(Self.kill) }
    guard announcement.handlersReturned else { return .handlersOverran }
    return announcement.openTasks.first.map { .leakedTask(name: $0) } ?? .overrun
  }

  private static let kill: Int32 = 9

  /// A signal that a program raises by a fault of its own is a crash.
  private static func cause(ofSignal number: Int32) -> TerminationCause {
    // SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS on Linux.
    [4, 5, 6, 7, 8, 11, 31].contains(number) ? .crash : .signal(number)
  }
}
