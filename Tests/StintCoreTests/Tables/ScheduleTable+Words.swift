@testable import StintCore

extension ScheduleMachine.Action {
  /// The action in the short words of the table; instants as distances from now.
  ///
  /// An identifier that the table is not about is named.
  func words(at now: Instant, of identifier: String) -> String {
    switch self {
    case .begin(_, let request, let allowance):
      "ask for \(allowance.compactText)"
        + (request.identifier == identifier ? "" : " (\(request.identifier))")
    case .launch: "call the handler"
    case .expire(_, let reason, let deadline):
      "expire (\(reason.words)), \(now.duration(to: deadline).compactText) left"
    case .end: "end the task"
    case .fail: "terminate"
    case .allow(let end): "allow \(now.duration(to: end).compactText)"
    }
  }
}

extension TaskRequestError {
  /// The kind of refusal.
  var words: String {
    switch self {
    case .unavailable: "refused (unavailable)"
    case .notRegistered: "refused (no handler)"
    case .tooManyWaiting: "refused (too many)"
    case .cannotBegin: "refused (cannot begin)"
    case .notSubmitted: "refused (the system's own)"
    }
  }
}
