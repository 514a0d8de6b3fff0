/// How far a computation is.
public struct WorkProgress: Hashable, Sendable, Codable {
  /// The share of the whole work that is done, from 0 to 1; never above what is true.
  public var fraction: Double
  /// What is being done, in a word or two, for example "doubling" or "digits".
  public var phase: String

  /// Creates a progress; the fraction is brought into 0 to 1.
  public init(fraction: Double, phase: String) {
    self.fraction = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
    self.phase = phase
  }
}
