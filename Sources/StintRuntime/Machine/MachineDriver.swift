package import StintCore

/// Drives a state machine: an event under the lock, its actions outside of it and in order.
///
/// The state is the machine, or a structure that holds it with what belongs under the same lock.
/// Any thread may give an event. One thread at a time performs actions:
///
/// - The thread whose event finds that nobody performs does so, before its call returns, until
///   nothing waits.
/// - Another thread leaves its actions to that one and returns at once.
/// - An action may give an event itself. What follows from it is performed after the actions that
///   wait already, and not before that call returns.
///
/// So actions are performed in the order of their events, and never two at a time. An urgent action
/// is the exception: the thread of its event performs it at once, ahead of all that wait and beside
/// one that is being performed.
///
/// No action runs under the lock, and the body of ``withLock(_:)`` or of an event calls nothing
/// that could give an event to the same driver.
package final class MachineDriver<State, Action>: Sendable {
  private struct Guarded {
    var state: State
    var actions = ActionQueue<Action>()
  }

  private let guarded: Protected<Guarded>

  /// Creates the driver of a machine that has heard of nothing.
  package init(_ state: State) {
    guarded = Protected(Guarded(state: state))
  }

  /// Reads or changes the state without an event.
  @inline(__always)
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try guarded.withLock { guarded throws(Failure) in try body(&guarded.state) }
  }

  /// Gives an event whose owner decides itself which actions wait, and who performs them.
  ///
  /// Who claims the actions in the body calls ``perform(_:)`` afterwards, on any thread.
  @inline(__always)
  package func withActions<Result: ~Copyable>(
    _ body: (inout State, inout ActionQueue<Action>) -> Result
  ) -> Result {
    guarded.withLock { body(&$0.state, &$0.actions) }
  }

  /// Whether no action waits and none is being performed.
  package var isIdle: Bool { guarded.withLock { $0.actions.isIdle } }

  /// Gives the machine an event and performs what it causes, unless another call does already.
  ///
  /// - Parameters:
  ///   - event: Changes the state, under the lock.
  ///   - isUrgent: Whether an action waits for nothing; by default none is urgent.
  ///   - perform: Performs an action, outside of the lock.
  package func handle(
    _ event: (inout State) -> [Action], isUrgent: (Action) -> Bool = { _ in false },
    perform: (Action) -> Void
  ) {
    let (urgent, mustPerform) = withActions { state, waiting in
      let actions = event(&state)
      let urgent = actions.filter(isUrgent)
      waiting.append(urgent.isEmpty ? actions : actions.filter { !isUrgent($0) })
      return (urgent, waiting.claim())
    }
    urgent.forEach(perform)
    if mustPerform { self.perform(perform) }
  }

  /// Performs what waits until nothing does; only for who has claimed it.
  package func perform(_ body: (Action) -> Void) {
    while let action = withActions({ $1.next() }) { body(action) }
  }
}
