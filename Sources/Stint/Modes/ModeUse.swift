public import StintCore

/// One use of a background mode, which is over when this goes away.
public final class ModeUse: Sendable {
  /// The mode.
  public let mode: BackgroundMode
  private let number: Int
  private let driver: SystemDriver

  init(_ mode: BackgroundMode, number: Int, driver: SystemDriver) {
    self.mode = mode
    self.number = number
    self.driver = driver
  }

  deinit {
    end()
  }

  /// Whether the mode is still in use; the system ends a use when it limits the time or withdraws
  /// the permission.
  public var isActive: Bool { driver.modesInUse.contains { $0.number == number } }

  /// Ends the use; a second time nothing happens.
  public func end() {
    driver.endMode(number)
  }
}
