package import StintCore

/// The budgets of a scenario.
package struct Trace: Hashable, Sendable, Encodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case grant, isAnnounced, leadSeconds, warning
    case enforcedLate = "enforcedLateSeconds"
    case revocation, deniedShare, standstill, moves
  }

  /// Where the time of a trip comes from.
  package enum Grant: Hashable, Sendable {
    case drawn(Distribution)
    case policy(SystemPolicy)
    /// Each trip is one of the lines of a file.
    case listed(name: String, [ListedTrip])
  }

  /// What a line of a CSV trace says is announced.
  package enum Announcement: Hashable, Sendable {
    case asGranted
    case none
    case seconds(Double)
  }

  /// A line of a CSV trace.
  package struct ListedTrip: Hashable, Sendable {
    package var grantSeconds: Double
    /// How long before the end a warning comes; 0 for none; nil if the file does not say.
    package var warningSeconds: Double?
    /// The time that is announced at the beginning.
    package var announcement = Announcement.asGranted

    /// What is announced at the beginning; nil for nothing.
    package var announced: Double? {
      switch announcement {
      case .asGranted: grantSeconds
      case .none: nil
      case .seconds(let seconds): seconds
      }
    }
  }

  /// When the engine's warning really comes.
  package struct Warning: Hashable, Sendable, Encodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
      case before = "beforeSeconds"
      case missedShare
    }

    package var before: Distribution
    package var missedShare = 0.0
  }

  /// The system takes back what it granted.
  package struct Revocation: Hashable, Sendable, Encodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
      case after = "afterSeconds"
      case leadSeconds
    }

    package var after: Distribution
    /// What is left from then on; 0 for no warning at all.
    package var leadSeconds: Double
  }

  /// The machine is suspended.
  package struct Standstill: Hashable, Sendable, Encodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
      case share
      case length = "seconds"
      case counts
    }

    package var share: Double
    package var length: Distribution
    /// Whether the deadline stands meanwhile.
    package var counts = true
  }

  /// The announced deadline moves during a trip, which is told at that instant.
  package struct Moves: Hashable, Sendable, Encodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
      case share
      case after = "afterSeconds"
      case by = "bySeconds"
      case laterShare
    }

    /// Of the trips.
    package var share: Double
    /// Counted from the trip's beginning.
    package var after: Distribution
    package var by: Distribution
    /// The share of moves that give time; the others take some.
    package var laterShare = 0.5
  }

  package var grant: Grant
  package var isAnnounced = true
  package var leadSeconds: Double?
  package var warning: Warning?
  package var enforcedLate = Distribution.constant(0)
  package var revocation: Revocation?
  package var deniedShare = 0.0
  package var standstill: Standstill?
  package var moves: Moves?

  /// How long before its end a trip of a length is warned, if nothing else is said.
  package func lead(ofGrant seconds: Double) -> Double {
    if let leadSeconds { return leadSeconds }
    if case .policy(let policy) = grant { return policy.lead.inSeconds }
    return min(5, seconds / 4)
  }

  /// Whether each trip is told its whole grant at the beginning.
  package var isAnnouncedAsGranted: Bool {
    guard case .listed(_, let trips) = grant else { return isAnnounced }
    return isAnnounced && trips.allSatisfy { $0.announced == $0.grantSeconds }
  }

  /// Whether what is announced is what is granted.
  package var isAnnouncedTruly: Bool {
    guard case .listed(_, let trips) = grant, isAnnounced else { return true }
    return trips.allSatisfy { $0.announced == nil || $0.announced == $0.grantSeconds }
  }

  /// Whether any trip is told an end at the beginning.
  package var isAnnouncedAnywhere: Bool {
    guard case .listed(_, let trips) = grant else { return isAnnounced }
    return isAnnounced && trips.contains { $0.announced != nil }
  }

  /// The expectation of what is granted.
  package var meanGrantSeconds: Double {
    switch grant {
    case .drawn(let distribution): distribution.mean
    case .policy(let policy): policy.grant?.inSeconds ?? 600
    case .listed(_, let trips):
      trips.map(\.grantSeconds).reduce(0, +) / Double(max(1, trips.count))
    }
  }
}
