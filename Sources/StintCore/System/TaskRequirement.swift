/// What a task needs while it runs (Q3).
public enum TaskRequirement: String, Hashable, Sendable, CaseIterable {
  /// A default route.
  case network
  /// Power from outside, and not from a battery.
  case externalPower
}

extension TaskRequirement: CustomStringConvertible {
  /// The requirement as the subject of a sentence.
  public var description: String {
    switch self {
    case .network: "the network"
    case .externalPower: "external power"
    }
  }
}
