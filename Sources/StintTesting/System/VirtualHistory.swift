import Stint
import StintCore

/// What happened in a virtual system, a line each with its time since the start.
struct VirtualHistory {
  private let start: Instant
  private(set) var lines: [String] = []

  init(start: Instant) {
    self.start = start
  }

  mutating func add(_ text: String, at now: Instant) {
    // Nine decimals, so that lines are comparable byte by byte.
    lines.append("\(start.duration(to: now).secondsText(decimals: 9))  \(text)")
  }
}

/// Writes what a system does into its history.
final class HistoryObserver: SystemObserver {
  private weak let environment: VirtualEnvironment?

  init(_ environment: VirtualEnvironment) {
    self.environment = environment
  }

  func systemDid(_ event: SystemEvent) {
    guard let environment else { return }
    switch event {
    case .suspended: environment.freeze(.suspended)
    case .resumed: environment.thaw(.suspended)
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .stateChanged, .becameActive,
      .stopCompleted, .terminating, .memoryIsShort, .refreshStatusChanged, .terminated:
      break
    }
    environment.note { "system: \(Self.text(event))" }
  }

  private static func text(_ event: SystemEvent) -> String {
    switch event {
    case .answered(let task, .granted): "task \(task.rawValue) is granted"
    case .answered(let task, .denied(let reason)): "task \(task.rawValue) is denied: \(reason)"
    case .expired(let task, let reason, _): "task \(task.rawValue) expires: \(reason)"
    case .deadlineMoved: "the deadline came nearer"
    case .deadlineExtended: "the deadline is later"
    case .stateChanged(let state): "the state is \(state)"
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .becameActive: "became active"
    case .stopCompleted: "the stop is complete"
    case .terminating: "terminating"
    case .memoryIsShort: "memory is short"
    case .refreshStatusChanged(let status): "work in the background is \(status)"
    case .terminated: "the process was to be terminated"
    }
  }
}
