@testable import StintCore

/// The table of the schedule machine.
enum ScheduleTable: MachineTable {
  static let name = "schedule"
  static let source = (folder: "Sources/StintCore/Schedule", prefix: "ScheduleMachine")

  static let sections = [nothing, left, setAside, waiting, asking, launching, running, expiring]

  static let introduction = """
    # The schedule machine, pair by pair

    What can be of one identifier in `ScheduleMachine`, and every event, written by `scripts/tables`
    from the rows in `Tests/StintCoreTests/Tables/`; the tests run each row against the machine. Change
    the rows, not this file.

    The machine decides when the system begins tasks by itself: refreshes, processing, continued tasks
    and fetches. Unless its situation says otherwise, the application is in the background, and the
    identifier is that of a refresh. A refresh and a fetch have 30 s, a processing task 5 min, each with
    a lead of 5 s; a continued task may go on for 30 s without progress; one second lies between two
    begins. *Time passed* means that the instant has come for which the machine asked. Events of a run
    are about the identifier's present one, or about one that is over.

    - "→ state": the new state, if it changes; then the answer, if there is one, and the actions.
    - "remembered": no action; the machine keeps it for later.
    - "nothing": a race that is legal and changes nothing; the last column names it.
    """

  /// What can be of one identifier.
  enum State: String, CaseIterable, Codable {
    case nothing = "no request"
    case left = "left by an earlier process"
    case setAside = "set aside"
    case waiting, asking, launching, running, expiring

    /// A phase that is added does not compile until it stands here, and then the table lacks it.
    init(_ phase: ScheduleMachine.Phase) {
      switch phase {
      case .asking: self = .asking
      case .launching: self = .launching
      case .running: self = .running
      case .expiring: self = .expiring
      }
    }
  }

  /// Everything that can happen to the machine.
  enum Event: String, CaseIterable, Codable {
    case registered = "handler registered"
    case registeredLate = "handler registered late"
    case submitted = "request submitted"
    case submittedForNow = "continued one submitted, not to wait"
    case takenBack = "denial taken back"
    case cancelled = "request cancelled"
    case allCancelled = "all cancelled"
    case granted = "task granted"
    case denied = "task denied"
    case claimed = "handler claimed"
    case completed = "run completed"
    case progressed = "progress"
    case expired = "time nearly up"
    case timePassed = "time passed"
    case clockSet = "clock set a day ahead"
    case becameActive = "became active"
    case backgroundEntered = "entered the background"
    case suspended
    case gone = "not running any more"
    case terminated
    case statusDenied = "status denied"
    case statusAvailable = "status available"
    case networkLost = "network lost"
    case networkBack = "network back"
    case memoryPressed = "memory pressed"
    case recordRead = "the record of an earlier process read"
    case launchEnded = "handlers registered"
    case fetchesAllowed = "fetches at the minimum interval"
    case fetchesForbidden = "fetches never"
    case launchSimulated = "launch simulated"
    case expirySimulated = "expiry simulated"
    case lossSimulated = "loss of a requirement simulated"
    case fetchSimulated = "fetch simulated"
  }

  static let functions: [Event: String] = [
    .registered: "handlerRegistered", .registeredLate: "handlerRegistered",
    .submitted: "requestSubmitted",
    .submittedForNow: "requestSubmitted", .takenBack: "denialTakenBack",
    .cancelled: "requestCancelled", .granted: "taskBegan", .denied: "taskDenied",
    .claimed: "launchClaimed", .completed: "runCompleted", .expired: "taskExpired",
    .launchEnded: "handlersRegistered",
    .clockSet: "timePassed", .becameActive: "lifeChanged", .backgroundEntered: "lifeChanged",
    .suspended: "lifeChanged", .gone: "lifeChanged", .statusDenied: "statusChanged",
    .statusAvailable: "statusChanged", .networkLost: "conditionsChanged",
    .networkBack: "conditionsChanged", .fetchesAllowed: "fetchIntervalSet",
    .fetchesForbidden: "fetchIntervalSet", .fetchSimulated: "eventSimulated",
  ]

  static func state(in situation: Situation) -> State { state(of: rig(in: situation)) }

  private static func state(of rig: ScheduleRig) -> State {
    if let run = rig.run { return State(run.phase) }
    if rig.machine.candidates.contains(where: { $0.request.identifier == rig.identifier }) {
      return .waiting
    }
    // What was not completed is kept for the next process, and means nothing to this one.
    let parked = rig.machine.parked.first {
      $0.request.identifier == rig.identifier && $0.began == nil
    }
    return parked.map { $0.isLeft ? .left : .setAside } ?? .nothing
  }

  static func run(_ event: Event, in situation: Situation) -> String {
    let rig = rig(in: situation)
    let before = (state: state(of: rig), machine: rig.machine)
    rig.probe.last = []
    let answer = apply(event, to: rig)
    let actions = rig.probe.last.map { $0.words(at: rig.probe.now.instant, of: rig.identifier) }
    let state = state(of: rig)
    return words(
      [answer].compactMap { $0 } + actions,
      newState: state == before.state ? nil : state.rawValue,
      isSame: before.machine == rig.machine)
  }

  /// Lets an event happen the way a driver does; the answer in words if there is one beside the
  /// actions.
  @discardableResult
  static func apply(_ event: Event, to rig: ScheduleRig) -> String? {
    let (number, identifier) = (rig.number, rig.identifier)
    switch event {
    case .registered: return rig.register(isLate: false)
    case .registeredLate: return rig.register(isLate: true)
    case .submitted: return rig.probe.submit(rig.request)?.words
    case .submittedForNow:
      var request = TaskRequest(identifier, kind: .continued)
      request.waitsForRoom = false
      return rig.probe.submit(request)?.words
    case .takenBack: return rig.probe.takeBackDenial(of: identifier).map { _ in "the denial" }
    case .cancelled: rig.probe.machine.requestCancelled(identifier)
    case .allCancelled: rig.probe.machine.allCancelled()
    case .granted: rig.probe.grant(number)
    case .denied: rig.probe.deny(number)
    case .claimed: return rig.probe.claim(number) ? "may call" : nil
    case .completed:
      return rig.probe.complete(number, .noData) ? "completed" : nil
    case .progressed:
      rig.probe.now.instant = rig.probe.now.instant.advanced(by: .seconds(10))
      rig.probe.progress(number, to: 0.5)
    case .expired:
      rig.probe.event {
        $0.taskExpired(
          number, .timeElapsed, deadline: $1.instant.advanced(by: .seconds(3)), now: $1)
      }
    case .timePassed:
      let wake = rig.machine.nextWake(now: rig.probe.now)
      if wake != .distantFuture { rig.move(to: wake) }
      rig.probe.event { $0.timePassed(now: $1) }
    case .clockSet:
      rig.probe.now.wall = rig.probe.now.wall.advanced(by: .seconds(86_400))
      rig.probe.event { $0.timePassed(now: $1) }
    case .becameActive: rig.probe.enter(.active)
    case .backgroundEntered: rig.probe.enter(.background)
    case .suspended: rig.probe.enter(.suspended)
    case .gone: rig.probe.enter(.notRunning)
    case .terminated: rig.probe.event { $0.terminated(now: $1) }
    case .statusDenied: rig.probe.event { $0.statusChanged(to: .denied, now: $1) }
    case .statusAvailable: rig.probe.event { $0.statusChanged(to: .available, now: $1) }
    case .networkLost: rig.set { $0.hasNetwork = false }
    case .networkBack: rig.set { $0.hasNetwork = true }
    case .memoryPressed: rig.probe.event { $0.memoryPressed(now: $1) }
    case .fetchesAllowed: rig.probe.event { $0.fetchIntervalSet(.minimum, now: $1) }
    case .fetchesForbidden: rig.probe.event { $0.fetchIntervalSet(.never, now: $1) }
    case .recordRead: return rig.readRecord()
    case .launchEnded:
      var setAside: [String] = []
      rig.probe.event { machine, now in
        let (identifiers, actions) = machine.handlersRegistered(now: now)
        setAside = identifiers
        return actions
      }
      return setAside.isEmpty ? nil : "the diagnostic"
    case .lossSimulated:
      var isFound = false
      rig.probe.event { machine, now in
        let (found, actions) = machine.lossSimulated(identifier, now: now)
        isFound = found
        return actions
      }
      return isFound ? "found" : nil
    case .launchSimulated:
      return rig.probe.simulateLaunch(identifier) ? "found" : nil
    case .expirySimulated:
      return rig.probe.simulateExpiry(identifier) ? "found" : nil
    case .fetchSimulated:
      rig.probe.simulate(ScheduleMachine.fetchName, kind: .fetch)
    }
    return nil
  }
}
