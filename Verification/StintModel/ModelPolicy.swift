/// The numbers of a system, as the model has them: nanoseconds, nil for no end.
package struct ModelPolicy: Hashable, Sendable {
  /// The background time of one trip (A9).
  package var grant: Int?
  /// How long before the deadline handlers are called (A12).
  package var lead: Int
  /// How long didEnterBackground may take, and how long a trip that needs a task lasts without one
  /// (L4).
  package var grace: Int
  /// How long a handler may run, or wait for the main queue, without a diagnostic (A12, A19).
  package var allowance: Int
  /// How many tasks may be open (A8).
  package var maximumTasks: Int
  /// The least rest of a trip for which a task is granted (A11).
  package var leastWorthGranting: Int
  /// Whether an open task is fatal at the handlers' return, and not only at the deadline (A14).
  package var terminatesAtReturn: Bool
  /// How long a task may be held in the background without a diagnostic (A22).
  package var notice: Int?
  /// Whether stopped time counts (A23).
  package var stoppedTimeCounts: Bool
  /// The background time of all trips within a day (A16).
  package var dailyQuota: Int?
  /// How long before the deadline a scope's task is ended (A21).
  package var scopeMargin: Int
  /// How long after a memory warning none is told again (L10).
  package var warningInterval: Int
  /// Whether a mode in use leaves a trip without an end (B5).
  package var grantsModes: Bool
  /// Whether a trip ends when no task is held (A15).
  package var suspendsWhenIdle: Bool
  /// How many ended tasks are known by name and place (A7: "if known").
  package var rememberedEnds: Int

  /// Creates a policy.
  package init(
    grant: Int?, lead: Int, grace: Int, allowance: Int, maximumTasks: Int,
    leastWorthGranting: Int, terminatesAtReturn: Bool, notice: Int?, stoppedTimeCounts: Bool,
    dailyQuota: Int?, scopeMargin: Int, warningInterval: Int, grantsModes: Bool,
    suspendsWhenIdle: Bool, rememberedEnds: Int
  ) {
    self.grant = grant
    self.lead = lead
    self.grace = grace
    self.allowance = allowance
    self.maximumTasks = maximumTasks
    self.leastWorthGranting = leastWorthGranting
    self.terminatesAtReturn = terminatesAtReturn
    self.notice = notice
    self.stoppedTimeCounts = stoppedTimeCounts
    self.dailyQuota = dailyQuota
    self.scopeMargin = scopeMargin
    self.warningInterval = warningInterval
    self.grantsModes = grantsModes
    self.suspendsWhenIdle = suspendsWhenIdle
    self.rememberedEnds = rememberedEnds
  }
}

/// An instant that never comes; no other number stands for it.
package let never = Int.max

/// An instant so much after (before, for a negative span) another one; never stays never.
func shifted(_ instant: Int, _ span: Int) -> Int {
  instant == never ? never : instant + span
}
