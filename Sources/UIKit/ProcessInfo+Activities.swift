public import Foundation
import Stint

extension ProcessInfo {
  /// What an activity asks of the system; only that it is not suspended is heard here.
  public struct ActivityOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt64

    /// Creates options from their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt64) {
      self.rawValue = rawValue
    }

    /// The display stays on.
    public static let idleDisplaySleepDisabled = Self(rawValue: 1 << 40)
    /// The machine stays on.
    public static let idleSystemSleepDisabled = Self(rawValue: 1 << 20)
    /// The process is not ended suddenly.
    public static let suddenTerminationDisabled = Self(rawValue: 1 << 14)
    /// The process is not ended by itself.
    public static let automaticTerminationDisabled = Self(rawValue: 1 << 15)
    /// Work that the user asked for.
    public static let userInitiated = Self(rawValue: 0x00FF_FFFF)
    /// The same, and the machine may sleep.
    public static let userInitiatedAllowingIdleSystemSleep = Self(rawValue: 0x00EF_FFFF)
    /// Work that the user did not ask for.
    public static let background = Self(rawValue: 0xFF)
    /// Work that is held to the highest precision of timers.
    public static let latencyCritical = Self(rawValue: 0xFF_0000_0000)
  }

  /// Begins an activity; of this form alone a protocol's requirement can be.
  ///
  /// - Parameters:
  ///   - options: What is asked of the system.
  ///   - reason: The activity's name, for people.
  /// - Returns: What ``endActivity(_:)`` ends; it ends by itself when this goes away.
  @_disfavoredOverload
  public func beginActivity(
    options: ActivityOptions = [], reason: String
  ) -> any NSObjectProtocol {
    Activity(reason, "", "", 0)
  }

  /// Ends an activity; of this form alone a protocol's requirement can be.
  ///
  /// - Parameter activity: What begin returned; anything else changes nothing.
  @_disfavoredOverload
  public func endActivity(_ activity: any NSObjectProtocol) {
    (activity as? Activity)?.end("", "", 0)
  }

  /// Runs a block in the background, and tells it when to stop (A20); of this form alone a
  /// protocol's requirement can be.
  ///
  /// - Parameters:
  ///   - reason: The activity's name, for people.
  ///   - block: Called on a thread of its own, with whether the time is up.
  @preconcurrency @_disfavoredOverload
  public func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
  ) {
    Application.shared.performExpiringActivity(
      withReason: reason, function: "", file: "", line: 0, using: block)
  }

  /// Begins an activity: a task that holds until it is ended, or its time is up.
  ///
  /// - Parameters:
  ///   - options: What is asked of the system.
  ///   - reason: The activity's name, for people.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  /// - Returns: What ``endActivity(_:function:file:line:)`` ends; it ends by itself when this goes
  ///   away.
  public func beginActivity(
    options: ActivityOptions = [], reason: String,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) -> any NSObjectProtocol {
    Activity(reason, function, file, line)
  }

  /// Ends an activity.
  ///
  /// - Parameters:
  ///   - activity: What begin returned; anything else changes nothing.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  public func endActivity(
    _ activity: any NSObjectProtocol,
    function: String = #function, file: String = #fileID, line: UInt = #line
  ) {
    (activity as? Activity)?.end(function, file, line)
  }

  /// Runs a block as an activity.
  ///
  /// - Parameters:
  ///   - options: What is asked of the system.
  ///   - reason: The activity's name, for people.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - block: What is done.
  public func performActivity(
    options: ActivityOptions = [], reason: String,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    using block: () -> Void
  ) {
    let activity = Activity(reason, function, file, line)
    block()
    activity.end(function, file, line)
  }

  /// Runs a block in the background, and tells it when to stop (A20).
  ///
  /// - Parameters:
  ///   - reason: The activity's name, for people.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - block: Called on a thread of its own, with whether the time is up.
  @preconcurrency
  public func performExpiringActivity(
    withReason reason: String,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    using block: @escaping @Sendable (Bool) -> Void
  ) {
    Application.shared.performExpiringActivity(
      withReason: reason, function: function, file: file, line: line, using: block)
  }
}

/// One activity, and the task that it holds.
private final class Activity: NSObject, Sendable {
  private let application = Application.shared
  private let task = Protected(BackgroundTaskIdentifier.invalid)

  init(_ reason: String, _ function: String, _ file: String, _ line: UInt) {
    super.init()
    // Expired, it can only let go: whoever began it is not asked.
    let begun = application.beginBackgroundTask(
      withName: reason, expirationHandler: { [weak self] in self?.end() },
      function: function, file: file, line: line)
    task.withLock { $0 = begun }
  }

  deinit { end() }

  func end(_ function: String = #function, _ file: String = #fileID, _ line: UInt = #line) {
    let held = task.withLock { exchange(&$0, with: .invalid) }
    if held != .invalid {
      application.endBackgroundTask(held, function: function, file: file, line: line)
    }
  }
}
