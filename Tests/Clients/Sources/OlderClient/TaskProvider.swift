import Foundation
import Stint

/// What code written for UIKit declares to be able to test itself without an application.
///
/// Only a method of exactly this signature satisfies it; one with further defaulted arguments does
/// not.
protocol TaskProvider: NSObjectProtocol {
  var applicationState: ApplicationState { get }
  var backgroundTimeRemaining: TimeInterval { get }
  func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> BackgroundTaskIdentifier
  func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)?
  ) -> BackgroundTaskIdentifier
  func endBackgroundTask(_ identifier: BackgroundTaskIdentifier)
}

extension Application: TaskProvider {}

/// Clients print states, which UIKit's do not describe themselves.
extension ApplicationState: @retroactive CustomStringConvertible {
  /// The word that the client prints.
  public var description: String {
    switch self {
    case .active: "active"
    case .inactive: "inactive"
    case .background: "background"
    }
  }
}
