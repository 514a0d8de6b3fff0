// Steps that no stint can hold (W2).

extension WorkerMachine {
  /// The expected time of the hardest chunk to come, if by the measurements since the last doubt it
  /// fits no budget (W2).
  mutating func stepTooLong() -> Duration? {
    guard let budget, let hardest = work.outlook.hardest, stint?.isDoubtful == false,
      doubts.pace.samples >= policy.samplesBeforeRefusal
    else { return nil }
    // A busy machine must not refuse what an idle one can do.
    let expected = doubts.pace.least(cost: hardest)
    if expected.inSeconds > policy.refusalFactor * budget.inSeconds { return expected }
    doubts.stepsFit()
    return nil
  }

  /// A step seems to fit no stint: after as many stints as the policy asks for the work is refused,
  /// and before that a fresh one measures again, because the machine may have been busy with
  /// something else.
  mutating func doubted(_ expected: Duration, at moment: Moment) -> [Action] {
    // With most of the time left, three more chunks tell a slow machine from an interruption.
    if isEarly(at: moment), stint?.measuresAgain() == true {
      doubts.measuresAgain(policy: policy)
      return advance(at: moment)
    }
    doubts.stintWasDoubtful(policy: policy)
    stint?.doubted()
    let budget = budget ?? .zero
    guard doubts.doubtfulStints >= policy.stintsBeforeRefusal else {
      return [.notice(.stepTooLong(expected: expected, budget: budget))]
        + close(.didNotFit, at: moment)
    }
    let least = fitTest.leastBudget(
      chunkCost: work.outlook.hardest ?? 0, checkpointBytes: work.outlook.checkpointBytes)
    let error = StintError(
      .noProgress,
      "The longest step that cannot be split takes about \(expected.compactText), which no budget of "
        + "\(budget.compactText) can hold; the least budget that would do is about "
        + "\(least.compactText).")
    return failing(error, at: moment)
  }
}
