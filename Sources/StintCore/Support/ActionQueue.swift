/// The actions of a machine that wait to be performed, in the order of the events that caused them.
///
/// Whoever adds actions while nobody performs has to perform: it takes one action after another
/// until none waits. What an action leads to, and what other threads add meanwhile, comes behind
/// what waits already. The queue is a value without a lock: a driver keeps it under its own, and a
/// world in virtual time needs none.
@usableFromInline
package struct ActionQueue<Action> {
  @usableFromInline
  var waiting: [Action] = []
  @usableFromInline
  var isPerforming = false

  /// Creates an empty queue.
  @inlinable
  package init() {}

  /// Whether nothing waits and nobody performs.
  @inlinable
  package var isIdle: Bool { waiting.isEmpty && !isPerforming }

  /// Adds actions behind those that wait.
  @inlinable
  package mutating func append(_ actions: [Action]) {
    waiting += actions
  }

  /// Makes the caller the one who performs, if somebody has to.
  ///
  /// - Returns: Whether it has to call ``next()`` until there is no action.
  @inlinable
  package mutating func claim() -> Bool {
    guard !isPerforming, !waiting.isEmpty else { return false }
    isPerforming = true
    return true
  }

  /// Takes the next action, for the one who performs; after nil it performs no longer.
  @inlinable
  package mutating func next() -> Action? {
    guard !waiting.isEmpty else {
      isPerforming = false
      return nil
    }
    return waiting.removeFirst()
  }

  /// Forgets what waits.
  @inlinable
  package mutating func removeAll() {
    waiting.removeAll(keepingCapacity: true)
  }
}
