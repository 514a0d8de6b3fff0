/// A history in which a machine and the model of it differ.
package struct LockstepFailure<
  Setup: Hashable & Sendable & CustomStringConvertible, Event: Hashable & Sendable
>: Error, Hashable, CustomStringConvertible {
  /// The call that gives this failure again.
  let call: String
  package let seed: UInt64
  package let steps: Int
  package let setup: Setup
  /// The shortest history that was found.
  package let events: [Event]
  /// In what they differ after its last event.
  package let difference: String

  package var description: String {
    let list = events.enumerated().map { "  \($0.offset + 1). \($0.element)" }
    return """
      The machine and the model differ: \(call).
      \(setup)
      \(list.joined(separator: "\n"))
      Then \(difference).
      """
  }
}
