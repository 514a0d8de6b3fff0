extension Array {
  /// A short part of this list that still fails, in the same order.
  ///
  /// Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input",
  /// IEEE TSE 28(2), 2002): ever smaller pieces are left out as long as what is left fails. Unless
  /// the attempts run out first, no single element of the result can be left out. Whether the whole
  /// list fails is not asked: the caller has seen it.
  ///
  /// - Parameters:
  ///   - attempts: How many lists are tried at most, beside the empty one; with none the list stays
  ///     as it is.
  ///   - stillFails: Whether a shorter list fails, too; it must give the same answer for the same
  ///     list.
  /// - Returns: The shortest list that was found.
  /// - Complexity: O(log *n*) calls of `stillFails` where one element is to blame, O(*n*²) at
  ///   worst.
  package func shrunk(
    attempts: Int = .max, stillFails: ([Element]) throws -> Bool
  ) rethrows -> [Element] {
    var steps = self
    var pieces = 2
    var left = attempts
    if left > 0, try stillFails([]) { return [] }
    while !steps.isEmpty, left > 0 {
      let length = Swift.max(1, (steps.count + pieces - 1) / pieces)
      var start = 0
      var isShorter = false
      while start < steps.count, left > 0 {
        let rest = Array(steps[..<start] + steps[Swift.min(start + length, steps.count)...])
        left -= 1
        if try !rest.isEmpty && stillFails(rest) {
          steps = rest
          isShorter = true
        } else {
          start += length
        }
      }
      if isShorter {
        pieces = Swift.max(2, pieces - 1)
      } else if length == 1 {
        return steps
      } else {
        pieces = Swift.min(steps.count, pieces * 2)
      }
    }
    return steps
  }
}
