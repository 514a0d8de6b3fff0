import Glibc
import StintCore

/// A way to be stopped at a deadline that is measured beside the others.
enum HardStopSubject: String, CaseIterable, Hashable {
  case stuckHandler, insideGMP, endsInTime
  case timeout, timeoutForeground
  case processOneStuck, processOneInTime

  /// Whether it ends in time and must not be killed.
  var isControl: Bool { self == .endsInTime || self == .processOneInTime }

  /// Whether it is process 1 of a namespace of its own.
  var needsNamespace: Bool { self == .processOneStuck || self == .processOneInTime }

  /// Whether the deadline is the parent's, because GNU timeout knows no other.
  var isTimeout: Bool { self == .timeout || self == .timeoutForeground }

  /// Whether the 99th percentile of its last instruction is judged, which takes more rounds.
  var hasJudgedTail: Bool { !isControl && !isTimeout }

  /// The name for people.
  var what: String {
    switch self {
    case .stuckHandler: "stuck in its handler"
    case .insideGMP: "stuck inside GMP"
    case .endsInTime: "ends its task in time"
    case .timeout: "timeout -s KILL"
    case .timeoutForeground: "timeout --foreground -s KILL"
    case .processOneStuck: "process 1, stuck in its handler"
    case .processOneInTime: "process 1, ends its task in time"
    }
  }

  /// Starts the process.
  func start(page: Int32, budget: Duration) throws -> ChildProcess {
    let own = try ChildProcess.ownPath()
    func role(_ part: HardStopRole.Part) -> HardStopRole {
      HardStopRole(part: part, page: page, budget: budget)
    }
    let spin = SpinRole(page: page).arguments
    let seconds = budget.secondsText(decimals: 3)
    let unshare = ["--pid", "--fork", "--kill-child", own]
    return switch self {
    case .stuckHandler: try .playing(role(.stuckHandler))
    case .insideGMP: try .playing(role(.insideGMP))
    case .endsInTime: try .playing(role(.endsInTime))
    case .timeout: try ChildProcess("timeout", ["-s", "KILL", seconds, own] + spin)
    case .timeoutForeground:
      try ChildProcess("timeout", ["--foreground", "-s", "KILL", seconds, own] + spin)
    case .processOneStuck:
      try ChildProcess("unshare", unshare + role(.stuckHandler).arguments)
    case .processOneInTime:
      try ChildProcess("unshare", unshare + role(.endsInTime).arguments)
    }
  }

  /// Whether a process that did what it was started for ended the way it should.
  func isRight(_ end: ChildProcess.End) -> Bool {
    switch self {
    case .endsInTime, .processOneInTime: end == .exited(0)
    case .stuckHandler, .insideGMP: end == .killed(by: SIGKILL)
    // Those in between die of the same signal or tell of it.
    case .timeout, .timeoutForeground, .processOneStuck:
      end == .killed(by: SIGKILL) || end == .exited(128 + SIGKILL)
    }
  }

  /// Whether the process got so much processor time before its deadline that it did what it was
  /// started for.
  func hasPlayed(_ page: SharedPage) -> Bool {
    isControl
      ? page[.ended] > 0 && page[.ended] < page[.deadline]
      : page[.isStuck] == 1 && page[.lastClock] > 0
  }
}
