import StintCore

/// One disturbance of a worker's life, some time after the one before.
public struct Cut: Hashable, Sendable {
  /// What happens.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The application resigns for a moment and becomes active again.
    case interruption
    /// The process stands still for ten minutes.
    case suspension
    /// The background is entered and left before the budget is gone.
    case background
    /// The background is entered, and left when the application has been suspended.
    case expiry
    /// In the background the budget is taken back.
    case revocation
    /// The process is killed; the next one is launched into the background and gets no task before
    /// it comes to the foreground.
    case denial
    /// The process is killed between two steps.
    case kill
    /// The process is killed at a call of the file system.
    case killInCall
    /// Power fails, and some of what was not synchronized is lost.
    case powerLoss
    /// Power goes at a call of the file system.
    case powerLossInCall
  }

  /// What happens.
  public var kind: Kind
  /// How long after the cut before, or after the launch.
  public var after: Duration
  /// Decides the details, such as at which call.
  public var seed: UInt64

  /// Draws a cut.
  init(_ kinds: [Kind], within duration: Duration, _ generator: inout SeededGenerator) {
    kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
    after = generator.duration(in: .zero...duration)
    seed = generator.next() & 0xFFFF
  }
}

extension Cut: CustomStringConvertible {
  /// The cut as a step of a history.
  public var description: String {
    "after \(after.secondsText(decimals: 9)) s: \(kind.rawValue), seed \(seed)"
  }
}
