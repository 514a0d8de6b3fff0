public import Foundation
import StintCore

extension BGTaskScheduler {
  /// The domain of the scheduler's errors as `NSError`.
  public static let errorDomain = "BGTaskSchedulerErrorDomain"

  /// Why a request was refused.
  public struct Error: CustomNSError, LocalizedError, Hashable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Code: Int, Sendable {
      /// Work in the background is not available.
      case unavailable = 1
      /// As many requests as there may be are waiting.
      case tooManyPendingTaskRequests = 2
      /// No handler was registered for the identifier, or a resource is not supported.
      case notPermitted = 3
      /// A continued task cannot be begun at once.
      case immediateRunIneligible = 4

      /// Lets `catch BGTaskScheduler.Error.notPermitted` catch an error of that kind.
      ///
      /// - Parameters:
      ///   - code: The kind.
      ///   - error: Any error.
      /// - Returns: Whether the error is of the kind.
      public static func ~= (code: Self, error: any Swift.Error) -> Bool {
        (error as? BGTaskScheduler.Error)?.code == code
      }
    }

    /// The kind.
    public let code: Code
    /// A full sentence with the identifier, the reason, and what to do.
    private let reason: String

    init(code: Code, reason: String) {
      self.code = code
      self.reason = reason
    }

    init(_ error: TaskRequestError) {
      let code: Code =
        switch error {
        case .unavailable: .unavailable
        case .notRegistered, .notSubmitted: .notPermitted
        case .tooManyWaiting: .tooManyPendingTaskRequests
        case .cannotBegin: .immediateRunIneligible
        }
      self.init(code: code, reason: "\(error)")
    }

    /// A full sentence with the identifier, the reason, and what to do.
    public var description: String { reason }
    /// The same, for `localizedDescription`.
    public var errorDescription: String? { reason }

    /// Work in the background is not available.
    public static let unavailable = Code.unavailable
    /// As many requests as there may be are waiting.
    public static let tooManyPendingTaskRequests = Code.tooManyPendingTaskRequests
    /// No handler was registered for the identifier, or a resource is not supported.
    public static let notPermitted = Code.notPermitted
    /// A continued task cannot be begun at once.
    public static let immediateRunIneligible = Code.immediateRunIneligible

    /// The domain of the `NSError`.
    public static var errorDomain: String { BGTaskScheduler.errorDomain }
    /// The kind, as the code of the `NSError`.
    public var errorCode: Int { code.rawValue }
    /// The reason, as the description of the `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
  }
}
