import StintModel

/// Faults that are planted on the model's side; lockstep must find each of them.
package enum Plant: String, Hashable, Sendable, CaseIterable {
  // Numbers of the policy.
  case leadLonger, grantLonger, graceLonger, allowanceLonger, leastLonger, marginLonger,
    warningsRarer
  case oneTaskMore, noQuota, noNotice, otherStoppedTime, otherTerminationPoint, otherModes,
    otherIdleTrips, shorterMemory
  // What happens.
  case anyReturnCounts, secondStopLost, staleCallsClaimed, authorityUnheard, movedEndMistaken
  case laterEndUnheard, movedReasonLost, modeEndUnheard, idleUnheard
  case otherAllowance, allowedTimeUnheard
  // What is done and said.
  case handlersReversed, shownTooEarly, reasonLost, recordLost, causeMistaken, deadlineMistaken
  case nearerEndUntold, laterEndUntold, leftOpenUnsaid, endedTwiceUnnamed, spentTaskUnsaid
  case modeEndUnsaid

  /// Within how many histories, of how many events, each of them must be found.
  static let histories: UInt64 = 800
  static let steps = 60

  /// The policy with the plant's fault.
  func spoil(_ policy: ModelPolicy) -> ModelPolicy {
    var policy = policy
    switch self {
    case .leadLonger: policy.lead += 1
    case .grantLonger: policy.grant = policy.grant.map { $0 + 1 }
    case .graceLonger: policy.grace += 1
    case .allowanceLonger: policy.allowance += 1
    case .leastLonger: policy.leastWorthGranting += 1
    case .marginLonger: policy.scopeMargin += 1
    case .warningsRarer: policy.warningInterval *= 2
    case .oneTaskMore: policy.maximumTasks += 1
    case .noQuota: policy.dailyQuota = nil
    case .noNotice: policy.notice = nil
    case .otherStoppedTime: policy.stoppedTimeCounts.toggle()
    case .otherTerminationPoint: policy.terminatesAtReturn.toggle()
    case .otherModes: policy.grantsModes.toggle()
    case .otherIdleTrips: policy.suspendsWhenIdle.toggle()
    case .shorterMemory: policy.rememberedEnds = 8
    case .anyReturnCounts, .secondStopLost, .staleCallsClaimed, .authorityUnheard,
      .movedEndMistaken, .laterEndUnheard, .movedReasonLost, .handlersReversed, .shownTooEarly,
      .reasonLost, .recordLost,
      .causeMistaken, .deadlineMistaken, .leftOpenUnsaid,
      .nearerEndUntold, .laterEndUntold, .endedTwiceUnnamed, .spentTaskUnsaid, .modeEndUnheard,
      .idleUnheard, .otherAllowance, .allowedTimeUnheard,
      .modeEndUnsaid:
      break
    }
    return policy
  }

  /// What the model did, with the plant's fault.
  func spoil(_ deeds: [ModelDeed]) -> [ModelDeed] {
    var deeds = deeds.compactMap(spoil)
    if self == .shownTooEarly, let first = deeds.firstIndex(of: .tell(.willResignActive, trip: 0)) {
      deeds.swapAt(first, first + 1)
    }
    return deeds
  }

  private func spoil(_ deed: ModelDeed) -> ModelDeed? {
    switch deed {
    case .callHandlers(let tasks, let reason, let deadline):
      if self == .handlersReversed {
        return .callHandlers(tasks.reversed(), reason, deadline: deadline)
      }
      if self == .deadlineMistaken, deadline != never {
        return .callHandlers(tasks, reason, deadline: deadline + 1)
      }
      return deed
    case .handDirectly(let tasks, .revoked, let deadline) where self == .reasonLost:
      return .handDirectly(tasks, .timeElapsed, deadline: deadline)
    case .record where self == .recordLost:
      return nil
    case .deadlineMoved where self == .nearerEndUntold:
      return nil
    case .deadlineExtended where self == .laterEndUntold:
      return nil
    case .terminate(.leakedTask) where self == .causeMistaken:
      return .terminate(.overrun)
    case .show, .tell, .handDirectly, .record, .ask, .answer, .deadlineMoved, .deadlineExtended,
      .suspend, .resume, .stopCompleted, .terminate:
      return deed
    }
  }

  /// What the model said, with the plant's fault.
  func spoil(_ diagnostics: [ModelDiagnostic]) -> [ModelDiagnostic] {
    diagnostics.compactMap { diagnostic in
      switch diagnostic {
      case .leftOpen where self == .leftOpenUnsaid: nil
      case .spentTaskEnded where self == .spentTaskUnsaid: nil
      case .modeEnded where self == .modeEndUnsaid: nil
      case .endedTwice(let task, _, _, let by) where self == .endedTwiceUnnamed:
        .endedUnknown(task, by: by)
      case .taskWithoutHandler, .endedInvalid, .endedUnknown, .endedTwice, .leftOpen,
        .handlerOverran, .mainQueueUnserved, .heldTooLong, .spentTaskEnded, .scopeOverran,
        .modeEnded:
        diagnostic
      }
    }
  }
}
