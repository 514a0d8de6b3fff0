import StintCore

extension SystemTable {
  /// The ways to be in a state that make a difference.
  enum Situation: String, CaseIterable, Codable {
    case notLaunched = "not launched"
    case overrun = "terminated, a task open"
    case launching = "launching"
    case leaving = "leaving, a task open"
    case idle = "no task"
    case holding = "a task open"
    case using = "a mode in use"
    case stopping = "stopping, a task handed its expiry"
    case entering = "entering, no task"
    case enteringPending = "entering, a task not answered"
    case held = "a task open, before the lead"
    case called = "in the lead, handler not yet called"
    case handling = "in the lead, handler running"
    case spent = "in the lead, handler returned"
    case playing = "a mode in use, no task"
    case playingHeld = "a mode in use, a task open"
    case budgeted = "a budget, no task"
    case budgetedHeld = "a budget, a task open"
    case suspended = "task 1 ended"
    case suspendedWithDenied = "a task denied, not ended"
  }

  /// A machine in a situation, reached the way that an application reaches it.
  static func probe(in situation: Situation) -> MachineProbe {
    switch situation {
    case .notLaunched: return MachineProbe()
    case .launching:
      let probe = MachineProbe()
      probe.event { $0.launched(into: .foreground, now: $1) }
      return probe
    case .enteringPending, .suspendedWithDenied: return remote(in: situation)
    case .leaving, .idle, .holding, .using, .stopping: return foreground(in: situation)
    case .overrun, .entering, .held, .called, .handling, .spent, .playing, .playingHeld,
      .budgeted, .budgetedHeld, .suspended:
      return background(in: situation)
    }
  }

  private static func foreground(in situation: Situation) -> MachineProbe {
    let probe = MachineProbe.active()
    if situation == .idle { return probe }
    if situation == .using {
      probe.beginMode()
      return probe
    }
    if situation == .stopping {
      probe.begin("worker", .direct)
      apply(.stopped, to: probe)
    } else {
      probe.begin()
    }
    if situation == .leaving { apply(.resigned, to: probe) }
    return probe
  }

  private static func background(in situation: Situation) -> MachineProbe {
    let probe = MachineProbe.active()
    if situation == .entering {
      probe.enterBackground(returning: false)
      return probe
    }
    if situation == .playing || situation == .playingHeld {
      if situation == .playingHeld { probe.begin() }
      probe.beginMode()
      probe.enterBackground()
      return probe
    }
    if situation == .budgeted || situation == .budgetedHeld {
      if situation == .budgetedHeld { probe.begin() }
      probe.event { $0.resigned(now: $1) }
      probe.event { $0.backgroundEntered(granting: .seconds(30), now: $1) }
      probe.enterReturned()
      // Longer than a grace.
      probe.advance(.seconds(10))
      return probe
    }
    let task = probe.begin()
    probe.enterBackground()
    if situation == .held { return probe }
    if situation == .suspended {
      probe.end(task)
      return probe
    }
    probe.advance(.seconds(25))
    if situation == .handling || situation == .spent { _ = probe.claim(task) }
    if situation == .spent { probe.returned(task) }
    if situation == .overrun { probe.advance(.seconds(5)) }
    return probe
  }

  /// Where another process answers.
  private static func remote(in situation: Situation) -> MachineProbe {
    let probe = MachineProbe.active(authority: .remote)
    let task = probe.begin("worker", .direct)
    probe.enterBackground(returning: situation == .suspendedWithDenied)
    if situation == .suspendedWithDenied {
      probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    }
    return probe
  }
}
