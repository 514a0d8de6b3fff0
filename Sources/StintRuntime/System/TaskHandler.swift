package import StintCore

/// How the owner of a task learns of its expiry.
package enum TaskHandler: Sendable {
  /// Not at all.
  case none
  /// A call on the main queue that is told nothing, which is UIKit's form.
  case plain(@MainActor @Sendable () -> Void)
  /// A call on the main queue.
  case main(@MainActor @Sendable (Expiry) -> Void)
  /// A call on the main actor that may suspend.
  case mainAsync(@MainActor @Sendable (Expiry) async -> Void)
  /// A call on the system's thread; nil for owners that listen as observers.
  case direct((@Sendable (Expiry) -> Void)?)
  /// As direct, for a scope.
  case scoped(@Sendable (Expiry) -> Void)

  /// What the machine has to know of it.
  package var delivery: TaskDelivery {
    switch self {
    case .none: .none
    case .plain, .main: .mainQueue
    case .mainAsync: .mainQueueAsync
    case .direct: .direct
    case .scoped: .scoped
    }
  }
}
