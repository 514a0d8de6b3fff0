/// What the oracle knows: every distribution, and when an end that nobody tells is to be feared.
package struct OracleProblem: Sendable {
  package var workload: Workload
  /// The table reaches from the end back so far.
  package var horizon: Double
  /// The most work in hand that the table knows.
  package var mostInHand: Double
  /// The share of processes that live at least so long after a trip's beginning, by the time left
  /// on the horizon; nil without such ends.
  package var survival: (@Sendable (_ remaining: Double) -> Double)?
  /// What it costs later that a process is gone: the work that the next trip saves less, because
  /// the process has to be started again.
  ///
  /// Only an end that nobody tells has this price: from any other the process can end in time.
  package var priceOfEnd = 0.0
  /// A planted fault: a chunk that was given up counts as drawn anew when it is begun again.
  package var drawsAgain = false
}
