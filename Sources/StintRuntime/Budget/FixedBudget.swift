package import StintCore

/// The same time for each trip: `--budget`, or the grant of a preset.
package struct FixedBudget: BudgetSource {
  package let name: BudgetName
  private let duration: Duration

  package init(_ duration: Duration, name: BudgetName = .budget) {
    self.duration = duration
    self.name = name
  }

  package func end(ofTripSince start: Instant) -> BudgetEnd { .at(start.advanced(by: duration)) }
}
