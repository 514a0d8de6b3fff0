import StintCore

extension RunTable {
  /// The ways to be in a phase that make a difference.
  enum Situation: String, CaseIterable, Codable {
    case notBegun = "not begun"
    case toBePaused = "not begun, paused"
    case toBeEnded = "not begun, SIGTERM came"
    case toEndEarly = "not begun, SIGUSR1 came"
    case trip = "in a trip"
    case onlyTrip = "in the only trip"
    case unlimited = "no end"
    case authority = "an authority's time"
    case lastStint = "after stint stop"
    case forStop = "to stop"
    case revoked = "to stop, continued meanwhile"
    case forPause = "to pause"
    case forBoth = "to pause and to stop"
    case withWork = "to stop with its work"
    case stopped = "stopped in a trip"
    case stoppedAgain = "stopped, SIGTSTP came again"
    case stoppedAndPaused = "stopped in a pause"
    case stoppedInRest = "stopped in a rest"
    case stoppedWithWork = "stopped with its work"
    case resting = "between trips"
    case paused = "paused in a trip"
    case pausedInRest = "paused in a rest"
    case pausedByAuthority = "paused in an authority's time"
    case signalled = "SIGTERM came"
    case warned = "SIGUSR1 came"
    case stopping = "stint stop in a rest"
    case over = "over"
    case overSignalled = "over, SIGTERM came"
    case overWarned = "over, SIGUSR1 came"
  }

  /// A machine in a situation, reached the way that a run reaches it.
  static func rig(in situation: Situation) -> RunRig {
    var rig = empty(in: situation)
    for event in events(before: situation) { _ = apply(event, to: &rig) }
    return rig
  }

  private static func empty(in situation: Situation) -> RunRig {
    switch situation {
    case .onlyTrip: RunRig(rest: nil, time: nil, stopsWithWork: false)
    case .unlimited: RunRig(rest: nil, time: .unlimited, stopsWithWork: false)
    case .authority, .pausedByAuthority:
      RunRig(rest: .seconds(2), time: .authority, stopsWithWork: false)
    case .withWork, .stoppedWithWork:
      RunRig(rest: .seconds(2), time: nil, stopsWithWork: true)
    case .notBegun, .toBePaused, .toBeEnded, .toEndEarly, .trip, .lastStint, .forStop, .revoked,
      .forPause, .forBoth, .stopped, .stoppedAgain, .stoppedAndPaused, .stoppedInRest, .resting,
      .paused, .pausedInRest, .signalled, .warned, .stopping, .over, .overSignalled, .overWarned:
      RunRig(rest: .seconds(2), time: nil, stopsWithWork: false)
    }
  }

  private static func events(before situation: Situation) -> [Event] {
    switch situation {
    case .notBegun: []
    case .toBePaused: [.pauseRequested]
    case .toBeEnded: [.signalCame]
    case .toEndEarly: [.warningCame]
    case .trip, .onlyTrip, .unlimited, .authority: [.begun]
    case .lastStint: [.begun, .stopRequested]
    case .forStop, .withWork: [.begun, .terminalStopCame]
    case .revoked: [.begun, .terminalStopCame, .terminalContinueCame]
    case .forPause: [.begun, .pauseRequested]
    case .forBoth: [.begun, .pauseRequested, .terminalStopCame]
    case .stopped, .stoppedWithWork: [.begun, .terminalStopCame, .suspended]
    case .stoppedAgain: [.begun, .terminalStopCame, .suspended, .terminalStopCame]
    case .stoppedAndPaused: [.begun, .pauseRequested, .suspended, .terminalStopCame]
    case .stoppedInRest: [.begun, .suspended, .terminalStopCame]
    case .resting: [.begun, .suspended]
    case .paused, .pausedByAuthority: [.begun, .pauseRequested, .suspended]
    case .pausedInRest: [.begun, .suspended, .pauseRequested]
    case .signalled: [.begun, .signalCame]
    case .warned: [.begun, .warningCame]
    case .stopping: [.begun, .suspended, .stopRequested]
    case .over: [.begun, .workEnded]
    case .overSignalled: [.begun, .workEnded, .signalCame]
    case .overWarned: [.begun, .workEnded, .warningCame]
    }
  }
}
