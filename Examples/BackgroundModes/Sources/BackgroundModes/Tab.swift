import Foundation

/// One of the four parts of the program: a view controller without its view.
@MainActor
protocol Tab: AnyObject {
  /// How long it has something to do.
  var length: Duration { get }
  /// Whether it has done all that it was to do.
  var isOver: Bool { get }

  /// What the button of the tab does first.
  ///
  /// - Parameter elapsed: The time since the start.
  /// - Throws: `Failure`.
  func start(_ elapsed: @escaping @Sendable () -> Duration) throws

  /// What the button of the tab does next.
  ///
  /// - Parameter trip: When the program was in the background, since the start.
  /// - Throws: `Failure`.
  func end(trip: ClosedRange<Duration>?) throws
}

extension Tab {
  /// Long enough to see what it does.
  var length: Duration { .seconds(6) }
  /// It has no end of its own.
  var isOver: Bool { true }
}

/// Why the program ends, and the status that says so.
struct Failure: Error {
  var words: String
  var status: Int32

  init(_ words: String, _ status: Int32) {
    self.words = words
    self.status = status
  }
}
