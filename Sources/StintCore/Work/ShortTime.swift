/// Which stints had too little time to blame the work for (W13).
package enum ShortTime {
  /// Whether a stint had less time than a step takes, for a cause that will pass.
  ///
  /// Waiting for the lock is one; the end that an engine or a file sets is one, because the next
  /// stint has another. A budget that every stint of a command line gets again is none: a step that
  /// it never holds has to be told of.
  ///
  /// - Parameters:
  ///   - had: From the beginning of the stint to its end.
  ///   - leastBudget: What the next step and its checkpoint take; nil if nothing was measured, and
  ///     then only a wait that took at least as long as what it left was too long.
  ///   - waited: How long the process waited for the lock before.
  ///   - repeats: Whether the next stint is granted as much as this one.
  /// - Returns: Whether it must not count.
  package static func isShort(
    _ had: Duration, leastBudget: Duration?, waited: Duration, repeats: Bool
  ) -> Bool {
    guard waited > .zero || !repeats else { return false }
    return leastBudget.map { had < $0 } ?? (waited > .zero && waited >= had)
  }
}
