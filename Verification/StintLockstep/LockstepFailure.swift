import StintCore

/// A history in which the machine and the model of the contract differ.
package struct LockstepFailure: Error, Hashable, CustomStringConvertible {
  package let seed: UInt64
  package let steps: Int
  package let setup: LockstepSetup
  /// The shortest history that was found.
  package let events: [LockstepEvent]
  /// In what they differ after its last event.
  package let difference: String

  package var description: String {
    let list = events.enumerated().map { "  \($0.offset + 1). \($0.element)" }
    return """
      The machine and the model differ: lockstep(seed: \(seed), steps: \(steps)).
      Policy: \(setup.policy)
      Authority: \(setup.authority)
      \(list.joined(separator: "\n"))
      Then \(difference).
      """
  }
}
