package import StintCore

/// The system of a history: its numbers, and who answers requests.
package struct LockstepSetup: Hashable, Sendable {
  package var policy: SystemPolicy
  package var authority: SystemMachine.Authority

  /// A preset or a random policy, from a seed.
  init(_ random: inout SplitMix64) {
    authority = random.chance(35) ? .remote : .local
    policy = random.pick(SystemPolicy.presets)
    guard random.chance(70) else { return }
    let second = 1_000_000_000
    let lead = 1 + random.below(6 * second)
    let grant = random.chance(85) ? lead + 1 + random.below(random.pick([lead, 60 * second])) : nil
    policy = SystemPolicy(
      name: "random", grant: grant.map { .nanoseconds($0) }, lead: .nanoseconds(lead))
    // Without these fractions of a nanosecond could decide, which no clock shows.
    policy.handlerAllowance = .nanoseconds(random.below(lead + 1))
    policy.leastWorthGranting = .nanoseconds(random.below(lead / 3 + 1))
    policy.scopeMargin = .nanoseconds(random.below(lead / 3 + 1))
    policy.maximumTasks = random.chance(50) ? 1 + random.below(4) : 1_000
    policy.enterBackgroundGrace = .nanoseconds(random.below(7) * second)
    if random.chance(40) { policy.terminationPoint = .handlersReturn }
    if random.chance(40) { policy.heldTooLongNotice = .nanoseconds(random.below(30 * second)) }
    if random.chance(40) { policy.stoppedTime = .running }
    if random.chance(20) { policy.grantsModes = false }
    if random.chance(30) { policy.suspendsWhenIdle = false }
    if random.chance(40) { policy.dailyQuota = .nanoseconds(random.below(90 * second)) }
  }
}

extension LockstepSetup: CustomStringConvertible {
  package var description: String { "Policy: \(policy)\nAuthority: \(authority)" }
}
