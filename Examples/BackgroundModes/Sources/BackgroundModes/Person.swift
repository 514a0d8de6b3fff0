import UIKit

/// Uses the program: presses each tab's button, leaves the program for the middle third of its
/// time, comes back, and ends it.
///
/// No part of the application, so its timer is not an observer of the application: it goes on while
/// the application is suspended.
@MainActor
final class Person {
  /// Where the person is in the day, and since when.
  private enum Step {
    case before
    case here(Duration)
    case away(Duration, hasFetched: Bool)
    case back(Duration)
  }

  private let tabs: [any Tab]
  private let length: Duration
  private let isCut: Bool
  private var step = Step.before
  private var began = ContinuousClock.now
  private var hasLeft = false
  private var trip: ClosedRange<Duration>?

  /// Creates a person.
  ///
  /// - Parameters:
  ///   - tabs: What the person uses.
  ///   - length: How long; nil for as long as there is something to do.
  init(with tabs: [any Tab], for length: Duration?) {
    self.tabs = tabs
    isCut = length != nil
    self.length = length ?? tabs.map(\.length).max() ?? .zero
  }

  /// Begins in the next turn of the main run loop.
  func begin() {
    _ = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { _ in
      MainActor.assumeIsolated {
        do { try self.look() } catch { stop(error) }
      }
    }
  }

  private func look() throws {
    let application = UIApplication.shared
    let now = began.duration(to: .now)
    switch step {
    case .before:
      began = .now
      for tab in tabs { try tab.start { [began] in began.duration(to: .now) } }
      step = .here(.zero)
    case .here(let since):
      guard now >= since + length / 3 else { return }
      // A supervisor may have sent it there already; then the supervisor also brings it back.
      hasLeft = application.applicationState == .active && application.enterBackground()
      step = .away(now, hasFetched: false)
    case .away(let since, false):
      guard now >= since + length / 6 else { return }
      if tabs.contains(where: { $0 is FetchController }) { simulateFetch() }
      step = .away(since, hasFetched: true)
    case .away(let since, true):
      guard now >= since + length / 3 else { return }
      if hasLeft { application.enterForeground() }
      trip = since...now
      step = .back(now)
    case .back(let since):
      guard now > since + length / 3, isCut || tabs.allSatisfy(\.isOver) else { return }
      for tab in tabs { try tab.end(trip: trip) }
      exit(0)
    }
  }

  /// Asks for a fetch, as a developer does on iOS.
  private func simulateFetch() {
    UIApplication.shared.taskScheduler.simulateFetch()
  }
}
