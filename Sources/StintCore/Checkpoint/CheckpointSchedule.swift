/// The numbers behind the interval between checkpoints.
public struct CheckpointSchedulePolicy: Hashable, Sendable {
  /// How long a process is assumed to run before something ends it without warning, until the job's
  /// own stints have shown it.
  public var meanTimeBetweenFailures: Duration
  /// How much that assumption weighs, in such ends: with a quarter of an end, four hours without
  /// one stand against one hour that is assumed.
  public var assumptionWeight = 0.25
  /// What a checkpoint is assumed to cost before one has been measured.
  public var assumedCost: Duration
  /// The interval is never shorter.
  public var shortest: Duration
  /// The interval is never longer, so that a run of any length has durable points, unless
  /// checkpoints are so dear that they would take more than ``mostOverhead`` of it.
  public var longest: Duration
  /// The share of the time that checkpoints may take for the sake of ``longest`` alone.
  public var mostOverhead = 0.005

  /// Creates a policy.
  public init(
    meanTimeBetweenFailures: Duration = .seconds(3600), assumedCost: Duration = .milliseconds(20),
    shortest: Duration = .seconds(1), longest: Duration = .seconds(600)
  ) {
    self.meanTimeBetweenFailures = meanTimeBetweenFailures
    self.assumedCost = assumedCost
    self.shortest = shortest
    self.longest = longest
  }
}

/// When the next periodic checkpoint is due.
///
/// The interval is Young's and Daly's optimum: the square root of twice the checkpoint's cost times
/// the mean time between failures (J. Young, CACM 17(9), 1974; J. Daly, FGCS 22, 2006). Both are
/// measured: the mean time begins as an assumption.
public struct CheckpointSchedule: Hashable, Sendable {
  private let policy: CheckpointSchedulePolicy
  private let fixed: Duration?
  private var cost: Duration?
  /// How long the job's stints ran, and how many of them ended without warning.
  private var ran: Duration = .zero
  private var suddenEnds = 0

  /// Creates a schedule that follows the measured cost.
  public init(policy: CheckpointSchedulePolicy = CheckpointSchedulePolicy()) {
    self.policy = policy
    fixed = nil
  }

  private init(fixed: Duration) {
    policy = CheckpointSchedulePolicy()
    self.fixed = fixed
  }

  /// A schedule with a fixed interval, as the user asked for it.
  public static func every(_ interval: Duration) -> CheckpointSchedule {
    CheckpointSchedule(fixed: max(interval, .zero))
  }

  /// Takes note of what a checkpoint cost: half the old mean and half the new value.
  public mutating func checkpointCompleted(cost measured: Duration) {
    let measured = max(measured, .zero)
    cost = cost.map { ($0 + measured) / 2 } ?? measured
  }

  /// Takes note of how long the job ran, and how often something ended it without warning
  /// meanwhile.
  public mutating func observed(ran: Duration, suddenEnds: Int = 0) {
    self.ran += max(.zero, ran)
    self.suddenEnds += max(0, suddenEnds)
  }

  /// How long a process is expected to run before something ends it without warning: the weighted
  /// mean of the assumed and the observed time.
  public var meanTimeBetweenFailures: Duration {
    let weight = policy.assumptionWeight
    guard weight > 0 else { return policy.meanTimeBetweenFailures }
    let assumed = policy.meanTimeBetweenFailures.inSeconds * weight
    return Duration(
      clampingSeconds: (assumed + ran.inSeconds) / (weight + Double(suddenEnds)))
  }

  /// The time before the first periodic checkpoint of a stint: between half an interval and a whole
  /// one.
  ///
  /// Many jobs that start together would otherwise all commit at the same moments. It holds for a
  /// fixed interval too, which is the longest time between two durable points and so is kept.
  ///
  /// - Parameter stagger: A number from 0 to 1 that differs between jobs and is always the same for
  ///   one; what is no such number counts as the nearest one, and what is no number as 1.
  /// - Returns: The time; the whole interval for 1.
  public func firstInterval(stagger: Double) -> Duration {
    let share = stagger.isNaN ? 1 : min(max(stagger, 0), 1)
    return Duration(clampingSeconds: interval.inSeconds * (0.5 + share / 2))
  }

  /// The time between two checkpoints.
  public var interval: Duration {
    if let fixed { return fixed }
    let cost = (cost ?? policy.assumedCost).inSeconds
    let seconds = (2 * cost * meanTimeBetweenFailures.inSeconds).squareRoot()
    let longest = max(policy.longest.inSeconds, cost / max(policy.mostOverhead, 1e-9))
    return Duration(clampingSeconds: min(max(seconds, policy.shortest.inSeconds), longest))
  }
}
