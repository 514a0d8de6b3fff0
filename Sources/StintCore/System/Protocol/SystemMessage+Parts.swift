// The parts of a system's messages: how each is written, and read again.

extension JSONLine {
  mutating func add(_ welcome: SystemMessage.Welcome) {
    add("version", welcome.version)
    add("pid", welcome.pid)
    add("state", welcome.state.protocolName)
    add(welcome.trip)
    let policy = welcome.policy
    add("policy", SystemProtocol.cut(policy.name))
    add("grantNs", policy.grant?.nanoseconds)
    add("leadNs", policy.lead.nanoseconds)
    add("enterBackgroundGraceNs", policy.enterBackgroundGrace.nanoseconds)
    add("handlerAllowanceNs", policy.handlerAllowance.nanoseconds)
    add("maximumTasks", policy.maximumTasks)
    add("leastWorthGrantingNs", policy.leastWorthGranting.nanoseconds)
    add("terminationPoint", policy.terminationPoint.rawValue)
    add("heldTooLongNoticeNs", policy.heldTooLongNotice?.nanoseconds)
    add("stoppedTime", policy.stoppedTime.rawValue)
    add("scopeMarginNs", policy.scopeMargin.nanoseconds)
    add("fetchAllowanceNs", policy.fetchAllowance.nanoseconds)
    add("mostWaitingRefreshes", policy.mostWaitingRefreshes)
    add("mostWaitingProcessing", policy.mostWaitingProcessing)
    add("restoreAttempts", policy.restoreAttempts)
    if welcome.continuesChild { add("continues", isTrue: true) }
    guard let launch = welcome.launch else { return }
    add("launch", launch.identifier)
    add("launchKind", launch.kind.rawValue)
    if launch.isSimulated { add("launchSimulated", isTrue: true) }
  }

  mutating func add(_ trip: SystemMessage.Trip?) {
    guard let trip else { return }
    add("trip", trip.number)
    add("startBootNs", trip.start.nanoseconds)
    add("deadlineBootNs", trip.deadline?.nanoseconds)
  }

  mutating func add(_ reason: DenialReason) {
    switch reason {
    case .notRunning: add("reason", "notRunning")
    case .suspended: add("reason", "suspended")
    case .tooLittleTime(let remaining, let least):
      add("reason", "tooLittleTime")
      add("remainingNs", remaining.nanoseconds)
      add("leastNs", least.nanoseconds)
    case .tooManyTasks(let maximum):
      add("reason", "tooManyTasks")
      add("maximum", maximum)
    case .stopping: add("reason", "stopping")
    case .refused(let words):
      add("reason", "refused")
      add("words", SystemProtocol.cut(words))
    }
  }

  mutating func add(_ reason: ExpiryReason) {
    switch reason {
    case .timeElapsed: add("reason", "timeElapsed")
    case .revoked: add("reason", "revoked")
    case .denied(let denial):
      add("reason", "denied")
      add("words", SystemProtocol.cut("\(denial)"))
    case .stopRequested: add("reason", "stopRequested")
    case .signal(let number):
      add("reason", "signal")
      add("signal", number)
    case .engineEndTime: add("reason", "engineEndTime")
    case .requirementLost(let requirement):
      add("reason", "requirementLost")
      add("requirement", requirement.rawValue)
    case .leastProgress: add("reason", "leastProgress")
    }
  }

  mutating func add(_ cause: TerminationCause) {
    switch cause {
    case .overrun: add("cause", "overrun")
    case .leakedTask(let name):
      add("cause", "leakedTask")
      add("name", SystemProtocol.cut(name))
    case .neverCompleted(let name):
      add("cause", "neverCompleted")
      add("name", SystemProtocol.cut(name))
    case .handlersOverran: add("cause", "handlersOverran")
    case .enterBackgroundOverran: add("cause", "enterBackgroundOverran")
    case .killedWhileSuspended: add("cause", "killedWhileSuspended")
    case .crash: add("cause", "crash")
    case .signal(let number):
      add("cause", "signal")
      add("signal", number)
    }
  }
}

extension ProtocolObject {
  func task() throws(ProtocolFault) -> Int {
    try integer("task", in: ChildMessage.taskNumbers)
  }

  func tripNumber() throws(ProtocolFault) -> Int {
    try integer("trip", in: 0...Int.max)
  }

  func trip() throws(ProtocolFault) -> SystemMessage.Trip? {
    guard self["trip"] != nil else { return nil }
    guard let start = try optionalInstant("startBootNs") else {
      throw ProtocolFault("\"startBootNs\" is missing")
    }
    return SystemMessage.Trip(
      number: try tripNumber(), start: start, deadline: try optionalInstant("deadlineBootNs"))
  }

  func welcome() throws(ProtocolFault) -> SystemMessage.Welcome {
    let name = try shortText("state")
    guard let state = ApplicationState.allCases.first(where: { $0.protocolName == name }) else {
      throw ProtocolFault("the state \"\(name)\" is unknown")
    }
    return SystemMessage.Welcome(
      version: try integer("version", in: 1...1_000_000),
      pid: try integer("pid", in: 1...Int32.max), policy: try policy(), state: state,
      trip: try trip(), continuesChild: self["continues"] == .truth(true), launch: try launch())
  }

  private func launch() throws(ProtocolFault) -> SystemMessage.Launch? {
    guard self["launch"] != nil else { return nil }
    return SystemMessage.Launch(
      kind: SystemMessage.Launch.TaskKind(rawValue: try shortText("launchKind")) ?? .other,
      identifier: try shortText("launch"),
      isSimulated: self["launchSimulated"] == .truth(true))
  }

  private func policy() throws(ProtocolFault) -> SystemPolicy {
    var policy = SystemPolicy(
      name: try shortText("policy"), grant: try optionalDuration("grantNs"),
      lead: try duration("leadNs"), maximumTasks: try integer("maximumTasks", in: 1...1_000_000))
    policy.enterBackgroundGrace = try duration("enterBackgroundGraceNs")
    policy.handlerAllowance = try duration("handlerAllowanceNs")
    policy.leastWorthGranting = try duration("leastWorthGrantingNs")
    policy.terminationPoint = try choice("terminationPoint")
    policy.heldTooLongNotice = try optionalDuration("heldTooLongNoticeNs")
    policy.stoppedTime = try choice("stoppedTime")
    policy.scopeMargin = try duration("scopeMarginNs")
    policy.fetchAllowance = try duration("fetchAllowanceNs")
    policy.mostWaitingRefreshes = try optionalCount("mostWaitingRefreshes")
    policy.mostWaitingProcessing = try optionalCount("mostWaitingProcessing")
    policy.restoreAttempts = try integer("restoreAttempts", in: 1...1_000)
    do {
      try policy.validate()
    } catch {
      throw ProtocolFault("the policy cannot be kept: \(error.message)")
    }
    return policy
  }

  private func optionalCount(_ name: String) throws(ProtocolFault) -> Int? {
    self[name] == nil ? nil : try integer(name, in: 0...1_000_000)
  }

  private func choice<Choice: RawRepresentable<String>>(
    _ name: String
  ) throws(ProtocolFault) -> Choice {
    guard let choice = Choice(rawValue: try shortText(name)) else {
      throw ProtocolFault("the value of \"\(name)\" is unknown")
    }
    return choice
  }

  /// A reason of a version to come is told in its own name.
  func denialReason() throws(ProtocolFault) -> DenialReason {
    switch try shortText("reason") {
    case "notRunning": return .notRunning
    case "suspended": return .suspended
    case "tooLittleTime":
      return .tooLittleTime(remaining: try duration("remainingNs"), least: try duration("leastNs"))
    case "tooManyTasks": return .tooManyTasks(maximum: try integer("maximum", in: 0...Int.max))
    case "stopping": return .stopping
    case "refused": return .refused(try shortText("words"))
    case let other: return .refused(other)
    }
  }

  /// A reason of a version to come takes the time back like any other.
  func expiryReason() throws(ProtocolFault) -> ExpiryReason {
    switch try shortText("reason") {
    case "timeElapsed": return .timeElapsed
    case "denied": return .denied(.refused(try shortText("words")))
    case "stopRequested": return .stopRequested
    case "signal": return .signal(try integer("signal", in: 1...64))
    case "engineEndTime": return .engineEndTime
    case "requirementLost":
      let requirement = TaskRequirement(rawValue: try shortText("requirement"))
      return requirement.map { .requirementLost($0) } ?? .revoked
    case "leastProgress": return .leastProgress
    case _: return .revoked
    }
  }

  func terminationCause() throws(ProtocolFault) -> TerminationCause {
    switch try shortText("cause") {
    case "leakedTask": return .leakedTask(name: try shortText("name"))
    case "neverCompleted": return .neverCompleted(name: try shortText("name"))
    case "handlersOverran": return .handlersOverran
    case "enterBackgroundOverran": return .enterBackgroundOverran
    case "killedWhileSuspended": return .killedWhileSuspended
    case "crash": return .crash
    case "signal": return .signal(try integer("signal", in: 1...64))
    case _: return .overrun
    }
  }
}

extension ApplicationState {
  /// The state as the protocol names it.
  package var protocolName: String {
    switch self {
    case .active: "active"
    case .inactive: "inactive"
    case .background: "background"
    }
  }
}
