/// Every number by which a system grants time.
///
/// No number of the contract is written anywhere else. The presets are in
/// `SystemPolicy+Presets.swift`.
public struct SystemPolicy: Hashable, Sendable {
  /// When a task that was left open costs the process its life (A14).
  public enum TerminationPoint: String, Hashable, Sendable, Codable, CaseIterable {
    /// When the deadline comes, as documented.
    case deadline
    /// When all handlers have returned, as observed on iOS.
    case handlersReturn
  }

  /// Whether time counts in which the process or the machine stood still (A23).
  public enum StoppedTime: String, Hashable, Sendable, Codable, CaseIterable {
    /// It counts: the deadline stands.
    case elapsed
    /// It does not count: the deadline moves by it.
    case running
  }

  /// The policy's name, as `--policy` takes it.
  public var name: String
  /// The background time of one trip, or nil for no end (A9).
  public var grant: Duration?
  /// How long before the deadline the handlers are called (A12).
  public var lead: Duration
  /// How long didEnterBackground may take, and how long a trip that needs a task lasts without one
  /// (L4).
  public var enterBackgroundGrace = Duration.seconds(5)
  /// Whether a trip ends when no task is held (A15, L4); else it lasts until its time is used up.
  public var suspendsWhenIdle = true
  /// How long a handler may run before a diagnostic is made (A19).
  public var handlerAllowance: Duration
  /// How many tasks may be open at once (A8).
  public var maximumTasks: Int
  /// The least rest of a trip for which a task is granted (A11).
  public var leastWorthGranting: Duration
  /// When a task that was left open costs the process its life (A14).
  public var terminationPoint = TerminationPoint.deadline
  /// How long a task may be held in the background before a diagnostic is made, or nil for ever
  /// (A22).
  public var heldTooLongNotice: Duration?
  /// Whether stopped time counts (A23).
  public var stoppedTime = StoppedTime.elapsed
  /// The background time of all trips within 24 hours, or nil for no quota (A16).
  public var dailyQuota: Duration?
  /// How long before the deadline the system ends the task of a scope that has not stopped (A21).
  public var scopeMargin: Duration
  /// How long a background fetch or a refresh may take (B2, Q2).
  public var fetchAllowance = Duration.seconds(30)
  /// How long a processing task may take (Q2).
  public var processingAllowance = Duration.seconds(300)
  /// How long a continued task may go on in the background without progress (Q5).
  public var continuedAllowance = Duration.seconds(30)
  /// The least time between two begins of one identifier (Q9).
  public var leastBetweenBegins = Duration.seconds(1)
  /// How long after a denial the system is asked for a task again; twice as long each time (Q9).
  public var denialRetry = Duration.seconds(2)
  /// The longest time after which it is asked again (Q9).
  public var longestDenialRetry = Duration.seconds(900)
  /// How many refreshes may wait at once, or nil for any number (Q2).
  public var mostWaitingRefreshes: Int? = 1
  /// How many processing requests may wait at once, or nil for any number (Q2).
  public var mostWaitingProcessing: Int? = 10
  /// How long a requirement may be missing before the task that needs it is expired (Q3).
  public var requirementLossAllowance = Duration.seconds(10)
  /// The time between two fetches of an application that leaves it to the system (B1).
  public var minimumFetchInterval = Duration.seconds(900)
  /// How long after a memory warning none is told again (L10).
  public var memoryWarningInterval = Duration.seconds(10)
  /// Whether a background mode in use leaves a trip without an end (B5).
  public var grantsModes = true
  /// How often a checkpoint that crashes the restart is tried (C7).
  public var restoreAttempts = 3

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - name: The policy's name.
  ///   - grant: The background time of one trip, or nil for no end.
  ///   - lead: How long before the deadline the handlers are called.
  ///   - maximumTasks: How many tasks may be open at once.
  public init(name: String, grant: Duration?, lead: Duration, maximumTasks: Int = 1_000) {
    self.name = name
    self.grant = grant
    self.lead = lead
    self.maximumTasks = maximumTasks
    handlerAllowance = lead / 2
    leastWorthGranting = min(.seconds(1), lead / 5)
    scopeMargin = lead / 5
  }
}

extension SystemPolicy {
  /// The same policy with another background time for each trip, which no background mode lifts.
  ///
  /// All of the budget can be used: a trip in which no task is held lasts until the budget is used
  /// up, and a task that is begun later gets what is left.
  ///
  /// - Parameters:
  ///   - budget: The background time of one trip.
  ///   - lead: How long before the deadline the handlers are called; by default the lesser of 5 s
  ///     and a quarter of the budget, and at least 50 ms.
  /// - Returns: The policy, which still has to be validated.
  public func withBudget(_ budget: Duration, lead: Duration? = nil) -> SystemPolicy {
    var policy = withLead(lead ?? max(.milliseconds(50), min(.seconds(5), budget / 4)))
    policy.grant = budget
    policy.grantsModes = false
    policy.suspendsWhenIdle = false
    return policy
  }

  /// The policy with another lead, and with what follows from it.
  package func withLead(_ lead: Duration) -> SystemPolicy {
    var policy = self
    policy.lead = lead
    policy.handlerAllowance = lead / 2
    policy.leastWorthGranting = min(.seconds(1), lead / 5)
    policy.scopeMargin = lead / 5
    return policy
  }

  /// Checks that the numbers can be kept together.
  ///
  /// - Throws: ``StintError`` with the code `usage` that names the number and its limit.
  public func validate() throws(StintError) {
    if let grant {
      guard grant > .zero else {
        throw StintError(.usage, "The budget is zero; give a budget such as 30s.")
      }
      guard lead < grant else {
        throw StintError(
          .usage,
          "The lead of \(lead.compactText) is not below the budget of \(grant.compactText); "
            + "give a longer budget or a shorter lead.")
      }
    }
    guard lead > .zero else {
      throw StintError(.usage, "The lead is zero; give a lead such as 50ms.")
    }
    guard maximumTasks > 0 else {
      throw StintError(.usage, "The maximum number of tasks is \(maximumTasks); the least is 1.")
    }
    guard enterBackgroundGrace >= .zero else {
      throw StintError(.usage, "The grace of the background is negative; the least is 0s.")
    }
  }
}
