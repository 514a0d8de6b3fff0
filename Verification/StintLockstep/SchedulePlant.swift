import StintModel

/// Faults that are planted on the side of the schedule's model; lockstep must find each of them.
package enum SchedulePlant: String, Hashable, Sendable, CaseIterable {
  // Numbers of the policy.
  case leadLonger, fetchLonger, processingLonger, continuedLonger, paceLonger, lossLonger
  case refreshesMore, processingMore, intervalLonger, retryLonger, retriesRarer, doublingsMore
  case usesKept, deathsMore, deathWaitLonger
  // What happens.
  case lateForgotten, cancelUnheard, statusUnheard, conditionsUnheard, intervalUnheard
  case memoryUnheard, terminationUnheard, expiryUnheard, progressUnheard, clockUnheard
  case resultMistaken, earliestForgotten, usesUnheard, readyUnheard, deathUnheard
  // What is done.
  case launchLost, endLost, allowLost, failureLost, reasonLost, deadlineMistaken

  /// Within how many histories, of how many events, each of them must be found.
  static let histories: UInt64 = 600
  static let steps = 80

  /// The policy with the plant's fault.
  func spoil(_ policy: SchedulePolicy) -> SchedulePolicy {
    var policy = policy
    switch self {
    case .leadLonger: policy.lead += 1
    case .fetchLonger: policy.fetchAllowance += 1
    case .processingLonger: policy.processingAllowance += 1
    case .continuedLonger: policy.continuedAllowance += 1
    case .paceLonger: policy.pace += 1
    case .lossLonger: policy.lossAllowance += 1
    case .refreshesMore: policy.mostRefreshes = policy.mostRefreshes.map { $0 + 1 }
    case .processingMore: policy.mostProcessing = policy.mostProcessing.map { $0 + 1 }
    case .intervalLonger: policy.fetchInterval += 1
    case .retryLonger: policy.retry += 1
    case .retriesRarer: policy.longestRetry += 1
    case .doublingsMore: policy.mostDoublings += 1
    case .usesKept: policy.keptAfterWeek = 1
    case .deathsMore: policy.mostDeaths += 1
    case .deathWaitLonger: policy.firstDeathWait += 1
    case .lateForgotten, .cancelUnheard, .statusUnheard, .conditionsUnheard, .intervalUnheard,
      .memoryUnheard, .terminationUnheard, .expiryUnheard, .progressUnheard, .clockUnheard,
      .resultMistaken, .earliestForgotten, .usesUnheard, .readyUnheard, .deathUnheard, .launchLost,
      .endLost, .allowLost,
      .failureLost, .reasonLost, .deadlineMistaken:
      break
    }
    return policy
  }

  /// What the model did, with the plant's fault.
  func spoil(_ deeds: [ScheduleDeed]) -> [ScheduleDeed] {
    deeds.compactMap { deed in
      switch deed {
      case .launch where self == .launchLost: nil
      case .end where self == .endLost: nil
      case .allow where self == .allowLost: nil
      case .fail where self == .failureLost: nil
      case .expire(let run, .requirementLost, let deadline) where self == .reasonLost:
        .expire(run: run, .timeElapsed, deadline: deadline)
      case .expire(let run, let reason, let deadline) where self == .deadlineMistaken:
        .expire(run: run, reason, deadline: deadline + 1)
      case .begin, .launch, .expire, .end, .fail, .allow: deed
      }
    }
  }
}
