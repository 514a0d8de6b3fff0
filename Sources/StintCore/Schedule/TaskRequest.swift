/// What kind of task the system begins.
public enum ScheduledTaskKind: String, Hashable, Sendable, CaseIterable {
  /// A short task of 30 s, such as a refresh.
  case refresh
  /// A task of minutes.
  case processing
  /// A task that is begun at once and goes on in the background while its progress moves (Q5).
  case continued
  /// A background fetch of 30 s, for which nobody submits a request (B1).
  case fetch
  /// What a session of transfers has to tell, for which nobody submits a request.
  case sessionEvents
}

/// What the machine offers at a moment.
public struct MachineConditions: Hashable, Sendable {
  /// Whether there is a default route.
  public var hasNetwork = true
  /// Whether no battery feeds the machine.
  public var hasExternalPower = true
  /// The threads that wished to run, as an average of the last minute, for each processor.
  public var load = 0.0
  /// The memory that could be used without swapping, in bytes.
  public var freeMemory = Int64.max
  /// The room on the disk of the working directory, in bytes.
  public var freeDisk = Int64.max

  /// Creates the conditions of an idle machine that has everything.
  public init() {}

  /// Whether a requirement is met.
  ///
  /// - Parameter requirement: The requirement.
  /// - Returns: Whether it is met.
  public func meet(_ requirement: TaskRequirement) -> Bool {
    switch requirement {
    case .network: hasNetwork
    case .externalPower: hasExternalPower
    }
  }
}

/// A request that the system begins a task when it may (Q2).
public struct TaskRequest: Hashable, Sendable {
  /// Names what is to be done; a handler was registered under the same name.
  public var identifier: String
  /// The kind of task.
  public var kind: ScheduledTaskKind
  /// Before this time of the wall clock the task does not begin; nil for as soon as possible.
  public var earliestBegin: WallInstant?
  /// What has to be there when the task begins, and while it runs.
  public var requirements: Set<TaskRequirement> = []
  /// The most load for each processor with which the task begins; nil for any.
  public var mostLoad: Double?
  /// The least free memory with which the task begins, in bytes; nil for any.
  public var leastMemory: Int64?
  /// The least free room on the disk with which the task begins, in bytes; nil for any.
  public var leastDisk: Int64?
  /// Whether the machine has to offer something for it.
  package var hasConditions: Bool {
    !requirements.isEmpty || mostLoad != nil || leastMemory != nil || leastDisk != nil
  }
  /// Whether a continued task that cannot begin at once waits; else it is refused.
  public var waitsForRoom = true

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - kind: The kind of task.
  ///   - earliestBegin: Before this time the task does not begin; nil for as soon as possible.
  public init(
    _ identifier: String, kind: ScheduledTaskKind = .refresh, earliestBegin: WallInstant? = nil
  ) {
    self.identifier = identifier
    self.kind = kind
    self.earliestBegin = earliestBegin
  }
}

/// Why a request was refused, with its identifier (Q2).
public enum TaskRequestError: Error, Hashable, Sendable {
  /// The system begins nothing in the background for this application (L11).
  case unavailable(String, BackgroundRefreshStatus)
  /// No handler is registered for the identifier.
  case notRegistered(String)
  /// As many requests of the kind as there may be are waiting.
  case tooManyWaiting(String, ScheduledTaskKind, most: Int)
  /// A continued task cannot begin at once.
  case cannotBegin(String, DenialReason)
  /// Tasks of the kind are begun by the system alone.
  case notSubmitted(String, ScheduledTaskKind)
}

extension TaskRequestError: CustomStringConvertible {
  /// A full sentence with the identifier, the reason, and what to do.
  public var description: String {
    switch self {
    case .unavailable(let identifier, let status):
      "The request \"\(identifier)\" was refused: work in the background is \(status.rawWord)."
    case .notRegistered(let identifier):
      "The request \"\(identifier)\" was refused: no handler is registered for \"\(identifier)\"; "
        + "register one first, under exactly this identifier."
    case .tooManyWaiting(let identifier, let kind, let most):
      "The request \"\(identifier)\" was refused: of the kind \(kind.rawValue) no more than \(most) "
        + "may wait; cancel one, or wait until one has begun."
    case .cannotBegin(let identifier, let reason):
      "The request \"\(identifier)\" was refused: it cannot begin now, because \(reason)."
    case .notSubmitted(let identifier, let kind):
      "The request \"\(identifier)\" was refused: the system begins tasks of the kind "
        + "\(kind.rawValue) by itself; submit a refresh, processing or continued one."
    }
  }
}

extension BackgroundRefreshStatus {
  fileprivate var rawWord: String {
    switch self {
    case .available: "available"
    case .denied: "denied"
    case .restricted: "restricted"
    }
  }
}
