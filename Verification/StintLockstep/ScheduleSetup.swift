package import StintCore

/// The schedule of a history: its numbers, and what its world is like.
package struct ScheduleSetup: Hashable, Sendable {
  /// What happens often in a history; the rest happens, too.
  enum Kind: String, Sendable {
    case anything
    /// The system denies.
    case denials
    /// Weeks pass, with uses and fetches.
    case weeks
    /// Continued tasks begin in the foreground.
    case foreground
    /// Processes end, and their programs are launched again.
    case restarts
  }

  package var policy: SystemPolicy
  /// What happens often.
  var kind: Kind

  /// A preset or a random policy, from a seed.
  init(_ random: inout SplitMix64) {
    kind = random.pick([
      .anything, .anything, .denials, .weeks, .weeks, .foreground, .restarts,
    ])
    policy = random.pick(SystemPolicy.presets)
    guard random.chance(70) else { return }
    let second = 1_000_000_000
    policy = policy.withLead(.nanoseconds(1 + random.below(6 * second)))
    policy.fetchAllowance = .nanoseconds(random.below(40 * second))
    policy.processingAllowance = .nanoseconds(random.below(400 * second))
    policy.continuedAllowance = .nanoseconds(random.below(40 * second))
    policy.leastBetweenBegins = .nanoseconds(random.below(5 * second))
    policy.mostWaitingRefreshes = random.chance(80) ? 1 + random.below(2) : nil
    policy.mostWaitingProcessing = random.chance(80) ? 1 + random.below(2) : nil
    policy.requirementLossAllowance = .nanoseconds(random.below(20 * second))
    policy.minimumFetchInterval = .nanoseconds(random.below(3_000 * second))
  }
}

extension ScheduleSetup: CustomStringConvertible {
  package var description: String {
    "Policy: \(policy)\nOften: \(kind)"
  }
}
