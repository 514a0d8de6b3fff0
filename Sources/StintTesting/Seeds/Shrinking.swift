/// Finds a short list of steps that still fails.
///
/// Delta debugging (Zeller and Hildebrandt, IEEE TSE 28(2), 2002): ever smaller pieces are left out as long as what is left
/// fails. No single step of the result can be left out.
///
/// - Parameters:
///   - steps: A list that fails.
///   - attempts: How many lists are tried at most.
///   - stillFails: Whether a shorter list fails, too; it must give the same answer for the same list.
/// - Returns: The shortest list that was found.
public func shrunk<Step>(
  _ steps: [Step], attempts: Int = 1_000, stillFails: ([Step]) throws -> Bool
) rethrows -> [Step] {
  var steps = steps
  var pieces = 2
  var left = attempts
  if left > 0, try stillFails([]) { return [] }
  while !steps.isEmpty, left > 0 {
    let length = max(1, (steps.count + pieces - 1) / pieces)
    var start = 0
    var isShorter = false
    while start < steps.count, left > 0 {
      let rest = Array(steps[..<start] + steps[min(start + length, steps.count)...])
      left -= 1
      if try !rest.isEmpty && stillFails(rest) {
        steps = rest
        isShorter = true
      } else {
        start += length
      }
    }
    if isShorter {
      pieces = max(2, pieces - 1)
    } else if length == 1 {
      return steps
    } else {
      pieces = min(steps.count, pieces * 2)
    }
  }
  return steps
}
