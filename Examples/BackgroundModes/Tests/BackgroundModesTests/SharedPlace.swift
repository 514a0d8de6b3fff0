import Stint
import StintTesting
import Testing
import UIKit

@testable import BackgroundModes

/// The program knows one application only, so its tests run one after another.
@Suite("The program", .serialized)
enum SharedPlace {}

/// The program in virtual time, with the tabs that a test chooses.
@MainActor
struct VirtualProgram {
  let system: VirtualSystem
  let delegate = AppDelegate()

  init(_ tabs: [any Tab], isLaunched: Bool = true) throws {
    system = VirtualSystem(policy: .iOS13)
    try system.becomeShared()
    delegate.tabs = tabs
    UIApplication.shared.delegate = delegate
    if isLaunched { system.launch() }
  }

  func start() throws {
    let (clock, start) = (system.clock, system.clock.now)
    for tab in delegate.tabs { try tab.start { start.duration(to: clock.now) } }
  }

  func end() throws {
    for tab in delegate.tabs { try tab.end(trip: nil) }
  }

  /// Lets the delegate fetch.
  func fetch() -> VirtualFetch? { system.simulateFetch() }
}

/// What a tab showed.
@MainActor
final class Lines {
  private(set) var all: [String] = []

  func add(_ line: String) { all.append(line) }

  /// The lines since the last call.
  func take() -> [String] {
    defer { all = [] }
    return all
  }
}
