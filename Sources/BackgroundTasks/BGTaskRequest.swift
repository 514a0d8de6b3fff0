public import Foundation

/// A request that the system begins a task when it may.
open class BGTaskRequest: NSObject, NSCopying {
  /// Names what is to be done; its handler was registered under the same name.
  public let identifier: String
  /// Before this time the task is not begun; nil for as soon as possible.
  open var earliestBeginDate: Date?

  fileprivate init(_ identifier: String) {
    self.identifier = identifier
    super.init()
  }

  /// Copies the request.
  ///
  /// - Parameter zone: Not looked at.
  /// - Returns: A request of the same class.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = copyOfClass()
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }

  fileprivate func copyOfClass() -> BGTaskRequest { BGTaskRequest(identifier) }
}

/// A request for a short task, such as a refresh.
open class BGAppRefreshTaskRequest: BGTaskRequest {
  /// Creates a request.
  ///
  /// - Parameter identifier: Names what is to be done.
  public init(identifier: String) {
    super.init(identifier)
  }

  fileprivate override func copyOfClass() -> BGTaskRequest {
    BGAppRefreshTaskRequest(identifier: identifier)
  }
}

/// A request for a task that takes minutes.
open class BGProcessingTaskRequest: BGTaskRequest {
  /// Whether it needs the network: a default route.
  open var requiresNetworkConnectivity = false
  /// Whether it needs external power: no battery that feeds the machine.
  open var requiresExternalPower = false

  /// Creates a request.
  ///
  /// - Parameter identifier: Names what is to be done.
  public init(identifier: String) {
    super.init(identifier)
  }

  fileprivate override func copyOfClass() -> BGTaskRequest {
    let copy = BGProcessingTaskRequest(identifier: identifier)
    copy.requiresNetworkConnectivity = requiresNetworkConnectivity
    copy.requiresExternalPower = requiresExternalPower
    return copy
  }
}

/// A request to begin at once what goes on in the background and shows its progress.
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
  /// What becomes of a request that cannot be begun at once.
  public enum SubmissionStrategy: Int, Sendable {
    /// It is refused with `immediateRunIneligible`.
    case fail
    /// It waits until the system can begin it.
    case queue
  }

  /// What a task needs beside the processor.
  public struct Resources: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// A graphics processor; see ``BGTaskScheduler/supportedResources``.
    public static let gpu = Self(rawValue: 1)
  }

  /// What is done, for people.
  open var title: String
  /// More of it, for people.
  open var subtitle: String
  /// What becomes of the request if it cannot be begun at once.
  open var strategy = SubmissionStrategy.queue
  /// What the task needs beside the processor; what is not supported is refused.
  open var requiredResources: Resources = []

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - identifier: Names what is to be done.
  ///   - title: What is done, for people.
  ///   - subtitle: More of it, for people.
  public init(identifier: String, title: String, subtitle: String) {
    self.title = title
    self.subtitle = subtitle
    super.init(identifier)
  }

  fileprivate override func copyOfClass() -> BGTaskRequest {
    let copy = BGContinuedProcessingTaskRequest(
      identifier: identifier, title: title, subtitle: subtitle)
    copy.strategy = strategy
    copy.requiredResources = requiredResources
    return copy
  }
}
