/// The numbers of a schedule, as the model has them: nanoseconds, nil for no limit.
package struct SchedulePolicy: Hashable, Sendable {
  /// How long before the end of its time a task is expired (Q4).
  package var lead: Int
  /// The time of a fetch or a refresh (B2, Q2).
  package var fetchAllowance: Int
  /// The time of a processing task (Q2).
  package var processingAllowance: Int
  /// The time of a continued task without progress (Q5).
  package var continuedAllowance: Int
  /// The time between two begins of one identifier (Q9).
  package var pace: Int
  /// How many refreshes, and how many processing requests, may wait (Q2).
  package var mostRefreshes: Int?
  package var mostProcessing: Int?
  /// How long a requirement may be missing (Q3).
  package var lossAllowance: Int
  /// The interval of who leaves it to the system (B1).
  package var fetchInterval: Int
  /// After how long the system is first asked again for what it denied, and the longest such time
  /// (Q9).
  package var retry = 2_000_000_000
  package var longestRetry = 900_000_000_000
  /// How often the distance of fetches may be doubled (B3).
  package var mostDoublings = 3
  /// What is left of a use of the application after a week (B3).
  package var keptAfterWeek = 0.75

  /// How many programs in a row may end in a task, and how long after the begin of the first of
  /// them it may begin again (Q6).
  package var mostDeaths = 3
  package var firstDeathWait = 10_000_000_000

  /// Creates a policy.
  package init(
    lead: Int, fetchAllowance: Int, processingAllowance: Int, continuedAllowance: Int, pace: Int,
    mostRefreshes: Int?, mostProcessing: Int?, lossAllowance: Int, fetchInterval: Int
  ) {
    self.lead = lead
    self.fetchAllowance = fetchAllowance
    self.processingAllowance = processingAllowance
    self.continuedAllowance = continuedAllowance
    self.pace = pace
    self.mostRefreshes = mostRefreshes
    self.mostProcessing = mostProcessing
    self.lossAllowance = lossAllowance
    self.fetchInterval = fetchInterval
  }

  /// The time of a kind.
  func allowance(of kind: ModelTaskKind) -> Int {
    switch kind {
    case .refresh, .fetch, .sessionEvents: fetchAllowance
    case .processing: processingAllowance
    case .continued: continuedAllowance
    }
  }
}
