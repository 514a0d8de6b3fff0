@testable import StintCore

/// A schedule machine, and one identifier that its table is about.
struct ScheduleRig {
  var probe: ScheduleProbe
  var request: TaskRequest

  var machine: ScheduleMachine { probe.machine }
  var identifier: String { request.identifier }
  var run: ScheduleMachine.Run? {
    machine.runs.first { $0.request.identifier == request.identifier }
  }
  /// The run of the identifier, or one that is over.
  var number: Int { run?.number ?? 0 }

  init(
    _ kind: ScheduledTaskKind = .refresh, in state: LifeState? = .background,
    registered: [String] = ["r", "s"]
  ) {
    probe = ScheduleProbe(in: state, registered: registered)
    request = TaskRequest(kind == .fetch ? ScheduleMachine.fetchName : "r", kind: kind)
  }

  /// Registers the handler, and says what came of it.
  func register(isLate: Bool) -> String {
    switch probe.register(identifier, isLate: isLate) {
    case .taken: "taken"
    case .twice: "refused"
    case .late: "taken late"
    }
  }

  func submit() { probe.submit(request) }

  /// Reads a record with the request, which waited, or whose last tasks programs had ended in.
  @discardableResult
  func readRecord(deaths: Int = 0) -> String? {
    var record = ScheduleRecord()
    if request.kind.isKept {
      let began = deaths > 0 ? probe.now.wall : nil
      record.requests = [ScheduleRecord.Kept(request, began: began)]
      if deaths > 1 {
        record.deaths[identifier] = ScheduleRecord.Death(count: deaths - 1, began: probe.now.wall)
      }
    }
    var setAside: [String] = []
    probe.event { machine, now in
      let (identifiers, actions) = machine.recordRead(record, now: now)
      setAside = identifiers
      return actions
    }
    return setAside.isEmpty ? nil : "the diagnostic"
  }

  func move(to instant: Instant) {
    let passed = probe.now.instant.duration(to: instant)
    probe.now.instant = instant
    probe.now.wall = probe.now.wall.advanced(by: passed)
  }

  /// The machine offers something else.
  func set(_ change: (inout MachineConditions) -> Void) {
    var conditions = machine.conditions
    change(&conditions)
    probe.event { $0.conditionsChanged(to: conditions, now: $1) }
  }
}

extension ScheduleTable {
  /// The ways to be in a state that make a difference.
  enum Situation: String, CaseIterable, Codable {
    case unregistered = "no handler"
    case idle = "a handler"
    case left = "left, a handler"
    case leftHomeless = "left, no handler"
    case dead = "programs ended in it three times"
    case homeless = "no handler after the launch"
    case died = "a program has just ended in it"
    case notLaunched = "before the launch"
    case foreground = "in the foreground"
    case early = "too early"
    case paced = "a moment after the last"
    case conditional = "without the network"
    case refused = "denied"
    case forced = "simulated and denied"
    case forbidden = "not allowed"
    case continuedOutside = "continued, too late"
    case continuedRefused = "continued, not to wait, denied"
    case fetchEarly = "a fetch, too early"
    case fetchRefused = "a fetch, denied"
    case asking = "asked for"
    case askingAnew = "asked for, a newer one waits"
    case askingContinued = "continued, asked for"
    case askingFetch = "a fetch, asked for"
    case launching = "not yet called"
    case launchingFetch = "a fetch, not yet called"
    case running = "a refresh"
    case runningAnew = "a refresh, the next one waits"
    case needy = "needs the network, which is lost"
    case continued = "continued, in the foreground"
    case continuedBehind = "continued, in the background"
    case pair = "one of two continued"
    case fetching = "a fetch"
    case expiring = "its time is nearly up"
    case expiringAnew = "the same, the next one waits"
  }

  /// A machine in a situation, reached the way that an application reaches it.
  static func rig(in situation: Situation) -> ScheduleRig {
    switch situation {
    case .unregistered: return ScheduleRig(registered: [])
    case .idle: return ScheduleRig()
    case .left, .leftHomeless, .dead, .homeless, .died:
      let rig = ScheduleRig(
        registered: situation == .leftHomeless || situation == .homeless ? [] : ["r", "s"])
      rig.readRecord(deaths: situation == .dead ? 3 : situation == .died ? 1 : 0)
      if situation == .died || situation == .homeless { apply(.launchEnded, to: rig) }
      return rig
    case .notLaunched, .foreground, .early, .paced, .conditional, .refused, .forced, .forbidden,
      .continuedOutside:
      return waiting(in: situation)
    case .fetchEarly, .fetchRefused, .askingFetch, .launchingFetch, .fetching:
      return fetch(in: situation)
    case .continuedRefused, .askingContinued, .continued, .continuedBehind, .pair:
      return continued(in: situation)
    case .asking, .askingAnew, .launching, .running, .runningAnew, .needy, .expiring,
      .expiringAnew:
      return begun(in: situation)
    }
  }

  private static func waiting(in situation: Situation) -> ScheduleRig {
    var rig = ScheduleRig(
      situation == .conditional
        ? .processing : situation == .continuedOutside ? .continued : .refresh,
      in: situation == .notLaunched ? nil : situation == .foreground ? .active : .background)
    if situation == .early {
      rig.request.earliestBegin = rig.probe.now.wall.advanced(by: .seconds(100))
    }
    if situation == .conditional {
      rig.request.requirements = [.network]
      rig.set { $0.hasNetwork = false }
    }
    rig.submit()
    if situation == .paced {
      rig.probe.start(rig.number)
      rig.probe.complete(rig.number)
      rig.submit()
    }
    if situation == .refused { rig.probe.deny(rig.number) }
    if situation == .forced {
      rig = ScheduleRig(in: .active)
      rig.submit()
      apply(.launchSimulated, to: rig)
      rig.probe.deny(rig.number)
    }
    if situation == .forbidden {
      rig = ScheduleRig(in: .active)
      rig.submit()
      apply(.statusDenied, to: rig)
      rig.probe.enter(.background)
    }
    return rig
  }

  private static func fetch(in situation: Situation) -> ScheduleRig {
    let rig = ScheduleRig(.fetch)
    apply(.fetchesAllowed, to: rig)
    if situation == .fetchEarly { return rig }
    apply(.timePassed, to: rig)
    if situation == .fetchRefused { rig.probe.deny(rig.number) }
    if situation == .launchingFetch { rig.probe.grant(rig.number) }
    if situation == .fetching { rig.probe.start(rig.number) }
    return rig
  }

  private static func continued(in situation: Situation) -> ScheduleRig {
    var rig = ScheduleRig(.continued, in: .active)
    rig.request.waitsForRoom = situation != .continuedRefused
    rig.submit()
    if situation == .continuedRefused {
      rig.probe.deny(rig.number)
      return rig
    }
    if situation == .askingContinued { return rig }
    rig.probe.start(rig.number)
    if situation == .continuedBehind { rig.probe.enter(.background) }
    if situation == .pair {
      rig.probe.submit(TaskRequest("s", kind: .continued))
      rig.probe.start(rig.probe.newest)
      rig.probe.progress(rig.probe.newest, to: 0.1)
    }
    return rig
  }

  private static func begun(in situation: Situation) -> ScheduleRig {
    var rig = ScheduleRig(situation == .needy ? .processing : .refresh)
    if situation == .needy { rig.request.requirements = [.network] }
    rig.submit()
    if situation == .asking { return rig }
    if situation == .askingAnew {
      rig.submit()
      return rig
    }
    if situation == .launching {
      rig.probe.grant(rig.number)
      return rig
    }
    rig.probe.start(rig.number)
    if situation == .needy { rig.set { $0.hasNetwork = false } }
    if situation == .runningAnew || situation == .expiringAnew { rig.submit() }
    if situation == .expiring || situation == .expiringAnew { apply(.timePassed, to: rig) }
    // The pause to the next one of the identifier is over.
    if situation == .runningAnew { rig.move(to: rig.probe.now.instant.advanced(by: .seconds(2))) }
    return rig
  }
}
