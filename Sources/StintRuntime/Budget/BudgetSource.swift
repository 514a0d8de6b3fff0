package import StintCore

/// Says when a trip ends: an option, an engine, a file.
///
/// It may change its mind while the work runs. `BudgetChoice.all` lists the sources of a command
/// line. ``BudgetSources`` takes the earliest of all.
package protocol BudgetSource: Sendable {
  /// Whose word it is, as messages, reports and the journal name it.
  var name: BudgetName { get }

  /// What it says of a trip that began at an instant.
  func end(ofTripSince start: Instant) -> BudgetEnd

  /// Whether it may say something else while a trip lasts; by default it never does.
  var mayChange: Bool { get }

  /// Calls back, on any thread and under no lock, whenever it says something else; by default
  /// never.
  func follow(_ changed: @escaping @Sendable () -> Void)

  /// How long the system behind it lets a process live after SIGTERM; by default nobody knows.
  var stopGrace: Duration? { get }

  /// The reason of an expiry that comes because it took time back; by default a revocation.
  var reason: ExpiryReason { get }
}

extension BudgetSource {
  package var mayChange: Bool { false }
  package func follow(_ changed: @escaping @Sendable () -> Void) {}
  package var stopGrace: Duration? { nil }
  package var reason: ExpiryReason { .revoked }
}

/// What a source says of the end of a trip.
package enum BudgetEnd: Hashable, Sendable {
  /// The time ends then.
  case at(Instant)
  /// It sets no end.
  case never
  /// It cannot be asked now: what it said before still holds.
  case unknown
}

/// The name of a source.
package struct BudgetName: RawRepresentable, Hashable, Sendable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package static let budget = BudgetName(rawValue: "budget")
  package static let until = BudgetName(rawValue: "until")
  package static let slurm = BudgetName(rawValue: "slurm")
  package static let local = BudgetName(rawValue: "local")
  package static let deadlineFile = BudgetName(rawValue: "deadline-file")
  /// The numbers of a preset or of an embedder.
  package static let policy = BudgetName(rawValue: "policy")
}
