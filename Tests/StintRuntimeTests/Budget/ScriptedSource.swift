import StintCore

@testable import StintRuntime

/// A third source of a budget: it says what a test lets it say, also while a trip lasts.
final class ScriptedSource: BudgetSource {
  private struct State {
    var end: BudgetEnd
    var listeners: [@Sendable () -> Void] = []
    var questions = 0
  }

  let name = BudgetName(rawValue: "script")
  let mayChange = true
  let reason = ExpiryReason.engineEndTime
  private let state: Protected<State>

  init(_ end: BudgetEnd) { state = Protected(State(end: end)) }

  func end(ofTripSince start: Instant) -> BudgetEnd {
    state.withLock { state in
      state.questions += 1
      return state.end
    }
  }

  /// How often it was asked.
  var questions: Int { state.withLock { $0.questions } }

  func follow(_ changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.listeners.append(changed) }
  }

  /// Changes its mind.
  func say(_ end: BudgetEnd) {
    let listeners = state.withLock { state in
      state.end = end
      return state.listeners
    }
    for listener in listeners { listener() }
  }
}
