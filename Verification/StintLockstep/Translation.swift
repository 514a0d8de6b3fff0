import StintCore
import StintModel

/// Puts what the machine says into the words of the model.
enum Translation {
  static func policy(_ policy: SystemPolicy) -> ModelPolicy {
    ModelPolicy(
      grant: policy.grant.map(span), lead: span(policy.lead),
      grace: span(policy.enterBackgroundGrace), allowance: span(policy.handlerAllowance),
      maximumTasks: policy.maximumTasks, leastWorthGranting: span(policy.leastWorthGranting),
      terminatesAtReturn: policy.terminationPoint == .handlersReturn,
      notice: policy.heldTooLongNotice.map(span), stoppedTimeCounts: policy.stoppedTime == .elapsed,
      dailyQuota: policy.dailyQuota.map(span), scopeMargin: span(policy.scopeMargin),
      warningInterval: span(policy.memoryWarningInterval),
      grantsModes: policy.grantsModes, suspendsWhenIdle: policy.suspendsWhenIdle,
      rememberedEnds: SystemMachine.rememberedTasks)
  }

  static func span(_ duration: Duration) -> Int { Int(duration.nanoseconds) }

  static func instant(_ instant: Instant?) -> Int { instant.map { Int($0.nanoseconds) } ?? never }

  static func place(_ origin: TaskOrigin) -> Int { Int(origin.line) }

  static func state(_ state: LifeState) -> ModelState {
    switch state {
    case .notRunning: .notRunning
    case .inactive: .inactive
    case .active: .active
    case .background: .background
    case .suspended: .suspended
    }
  }

  static func shown(_ state: ApplicationState) -> ModelState {
    switch state {
    case .inactive: .inactive
    case .active: .active
    case .background: .background
    }
  }

  static func event(_ event: ModelLifeEvent) -> SystemMachine.LifeEvent {
    switch event {
    case .launched: .launched
    case .resigned: .resigned
    case .backgroundEntered: .backgroundEntered
    case .foregroundEntered: .foregroundEntered
    case .becameActive: .becameActive
    }
  }

  static func delivery(_ delivery: TaskDelivery) -> ModelDelivery {
    switch delivery {
    case .none: .none
    case .mainQueue: .main
    case .mainQueueAsync: .mainAsync
    case .direct: .direct
    case .scoped: .scoped
    }
  }

  static func reason(_ reason: ExpiryReason) -> ModelReason {
    switch reason {
    case .timeElapsed: .timeElapsed
    case .revoked: .revoked
    case .denied(let denial): .denied(Self.denial(denial))
    case .stopRequested: .stopRequested
    case .signal(let number): .signal(Int(number))
    case .engineEndTime: .engineEndTime
    case .requirementLost(let requirement): .requirementLost(Self.requirement(requirement))
    case .leastProgress: .leastProgress
    }
  }

  static func requirement(_ requirement: TaskRequirement) -> ModelRequirement {
    switch requirement {
    case .network: .network
    case .externalPower: .externalPower
    }
  }

  static func denial(_ denial: DenialReason) -> ModelDenial {
    switch denial {
    case .notRunning: .notRunning
    case .suspended: .suspended
    case .tooLittleTime(let left, let least): .tooLittleTime(left: span(left), least: span(least))
    case .tooManyTasks(let maximum): .tooManyTasks(maximum: maximum)
    case .stopping: .stopping
    case .refused: .refused
    }
  }

  static func refusal(_ refusal: ModeRefusal) -> ModelRefusal {
    switch refusal {
    case .undeclared: .undeclared
    case .notPermitted: .notPermitted
    case .limited: .limited
    case .notRunning: .notRunning
    case .suspended: .suspended
    case .stopping: .stopping
    }
  }

  static func endResult(_ result: EndResult) -> ModelEndResult {
    switch result {
    case .ended: .ended
    case .handlerAlreadyStarted: .handlerAlreadyStarted
    case .alreadyEnded: .alreadyEnded
    case .unknown: .unknown
    }
  }

  static func openTask(_ task: OpenTask) -> ModelOpenTask {
    let state: ModelTaskState =
      switch task.state {
      case .pending: .pending
      case .granted: .granted
      case .warned: .warned
      case .handling: .handling
      case .spent: .spent
      case .denied: .denied
      }
    return ModelOpenTask(
      id: task.identifier.rawValue, name: task.name, place: place(task.origin),
      age: span(task.age), state: state)
  }
}
