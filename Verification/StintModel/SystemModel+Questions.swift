extension SystemModel {
  /// The number of the latest trip; 0 before the first.
  package var tripNumber: Int { history.trips(policy).last?.number ?? 0 }

  /// How many tasks were granted an identifier.
  package var begun: Int { history.stories.count }
}
