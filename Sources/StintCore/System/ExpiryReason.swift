/// Why a task's time ended (A18).
///
/// iOS gives no reason; Stint always does.
public enum ExpiryReason: Hashable, Sendable {
  /// The trip's budget reached its lead.
  case timeElapsed
  /// The system took the rest of the budget back.
  case revoked
  /// The system answered the request for the task with no.
  case denied(DenialReason)
  /// The user or the program asked the work to stop.
  case stopRequested
  /// A signal asked the process to end.
  case signal(Int32)
  /// The engine that owns the machine (Slurm, systemd) ends the allocation.
  case engineEndTime
  /// What a background task needs has been missing for too long (Q3).
  case requirementLost(TaskRequirement)
  /// Memory is short, and of the continued tasks this one had the least progress (Q5).
  case leastProgress
}

extension ExpiryReason: CustomStringConvertible {
  /// The reason as the end of the sentence "the time ended because ...".
  public var description: String {
    switch self {
    case .timeElapsed: "the budget is used up"
    case .revoked: "the system took the budget back"
    case .denied(let reason): "the task was denied: \(reason)"
    case .stopRequested: "a stop was requested"
    case .signal(let number): "signal \(number) arrived"
    case .engineEndTime: "the engine's end time has come"
    case .requirementLost(let requirement): "\(requirement) is missing, which the task needs"
    case .leastProgress: "memory is short, and the task had the least progress"
    }
  }
}
