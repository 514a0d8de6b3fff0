import StintCore

/// Finds a short list of steps that still fails.
///
/// Delta debugging (Zeller and Hildebrandt, IEEE TSE 28(2), 2002): ever smaller pieces are left out
/// as long as what is left fails. No single step of the result can be left out, unless the attempts
/// ran out.
///
/// - Parameters:
///   - steps: A list that fails.
///   - attempts: How many lists are tried at most.
///   - stillFails: Whether a shorter list fails, too; it must give the same answer for the same
///     list.
/// - Returns: The shortest list that was found.
public func shrunk<Step>(
  _ steps: [Step], attempts: Int = 1_000, stillFails: ([Step]) throws -> Bool
) rethrows -> [Step] {
  try steps.shrunk(attempts: attempts, stillFails: stillFails)
}
