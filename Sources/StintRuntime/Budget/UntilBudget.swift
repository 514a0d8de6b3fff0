package import StintCore

/// One instant at which every trip ends: `--until`.
package struct UntilBudget: BudgetSource {
  package let name = BudgetName.until
  private let instant: Instant

  package init(_ instant: Instant) {
    self.instant = instant
  }

  package func end(ofTripSince start: Instant) -> BudgetEnd { .at(instant) }
}
