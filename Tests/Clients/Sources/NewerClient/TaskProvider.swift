import Foundation
import Stint

/// What code written for UIKit declares to be able to test itself without an application.
///
/// Only a method of exactly this signature satisfies it; one with further defaulted arguments does
/// not.
protocol TaskProvider {
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
