/// A state that was read back from a checkpoint.
public struct RestoredWork<State> {
  /// The state.
  public var state: State
  /// The generation it came from.
  public var sequence: UInt64
  /// The job's own time up to this state.
  public var workTime: Duration

  /// Creates the result of a restore.
  public init(state: State, sequence: UInt64, workTime: Duration) {
    self.state = state
    self.sequence = sequence
    self.workTime = workTime
  }
}

extension RestoredWork: Sendable where State: Sendable {}
