import UIKit

/// Fetches the time, and shows it.
final class FetchController: Tab {
  /// Gives the time, or nil if it cannot; now or later.
  typealias Source = @MainActor (@escaping @MainActor (Date?) -> Void) -> Void

  private var time: Date?
  /// What the tab shows.
  private(set) var label = "not fetched yet"
  private let source: Source
  private let show: (String) -> Void

  /// Creates the tab.
  ///
  /// - Parameters:
  ///   - source: Where the time comes from.
  ///   - show: Shows a line.
  init(
    from source: @escaping Source = { $0(Date()) }, show: @escaping (String) -> Void = { print($0) }
  ) {
    self.source = source
    self.show = show
  }

  /// Fetches, and says once what came of it: the same second again is no data.
  func fetch(_ completion: @escaping @MainActor (UIBackgroundFetchResult) -> Void) {
    source { [weak self] date in
      guard let self, let date else { return completion(.failed) }
      let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
      let isNew = second != time
      time = second
      completion(isNew ? .newData : .noData)
    }
  }

  /// Shows the time that was fetched last.
  func updateTime() {
    guard let time else { return }
    label = ISO8601DateFormatter().string(from: time)
    show("fetched: \(label)")
  }

  /// The button of the tab fetches in the foreground.
  func start(_ elapsed: @escaping @Sendable () -> Duration) {
    fetch { [weak self] _ in self?.updateTime() }
  }

  func end(trip: ClosedRange<Duration>?) {}
}
