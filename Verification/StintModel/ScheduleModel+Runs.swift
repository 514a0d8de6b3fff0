// What becomes of a task that the system was asked for.

extension ScheduleModel {
  /// The system granted it.
  package mutating func grant(_ number: Int, task: Int, at now: ModelMoment) {
    // Its time was up before the grant was known.
    guard history.story(of: number, policy)?.phase == .asking else { return act(.end(task: task)) }
    history.note(.granted(run: number, task: task), at: now)
    act(.launch(run: number))
    look(at: now)
  }

  /// The system denied it (Q9).
  package mutating func deny(_ number: Int, _ reason: ModelDenial, at now: ModelMoment) {
    guard history.story(of: number, policy)?.phase == .asking else { return }
    history.note(.denied(run: number, reason), at: now)
    look(at: now)
  }

  /// Its handler is to be called; whether it still may be (Q4).
  package mutating func claim(_ number: Int, at now: ModelMoment) -> Bool {
    guard history.story(of: number, policy)?.phase == .launching else { return false }
    history.note(.claimed(run: number), at: now)
    return true
  }

  /// The system says that its time is up.
  package mutating func expire(
    _ number: Int, _ reason: ModelReason, deadline: Int, at now: ModelMoment
  ) {
    guard let run = history.story(of: number, policy) else { return }
    switch run.phase {
    case .asking:
      // Its task is given back when it is known.
      history.note(.givenBack(run: number), at: now)
    case .launching, .running: expire(run, reason, deadline: deadline, at: now)
    case .expiring: break
    }
    look(at: now)
  }

  /// It is completed; whether it was not over (Q4).
  package mutating func complete(
    _ number: Int, _ result: ModelFetchResult, at now: ModelMoment
  ) -> Bool {
    guard let run = history.story(of: number, policy) else { return false }
    history.note(.completed(run: number, result), at: now)
    // Q9: what begins now joins the trip before this one lets go of it.
    look(at: now)
    if let task = run.task { act(.end(task: task)) }
    return true
  }

  /// Q5: it says how far it is, and goes on while that moves.
  package mutating func progress(_ number: Int, to fraction: Double, at now: ModelMoment) {
    guard let run = history.story(of: number, policy), fraction.isFinite else { return }
    history.note(.progressed(run: number, fraction), at: now)
    // A choice: what has fallen gives no time, and a rise from there does.
    guard fraction > run.fraction, run.request.kind == .continued, run.end != never,
      run.phase == .running
    else { return }
    let end = now.at + policy.continuedAllowance
    // A choice: less than an eighth of it is not worth telling.
    guard (end - run.end) * 8 >= policy.continuedAllowance else { return }
    history.note(.allowed(run: number, until: end), at: now)
    act(.allow(until: end))
    look(at: now)
  }

  // MARK: Deeds

  mutating func begin(_ request: ModelRequest, isSimulated: Bool = false, at now: ModelMoment) {
    let run = history.runCount + 1
    history.note(.asked(run: run, request, isSimulated: isSimulated), at: now)
    act(
      .begin(
        run: run, request.identifier, request.kind, allowance: policy.allowance(of: request.kind)))
  }

  /// Q4: its expiration handler is called; one that nobody has heard of waits again.
  ///
  /// A fetch has no such handler (B2).
  mutating func expire(
    _ run: ScheduleRun, _ reason: ModelReason, deadline: Int, at now: ModelMoment
  ) {
    if run.phase == .launching { return giveBack(run, at: now) }
    guard run.request.kind.isWarned else { return }
    let end = min(run.end, deadline)
    history.note(.warned(run: run.number, end: end), at: now)
    act(.expire(run: run.number, reason, deadline: end))
  }

  mutating func giveBack(_ run: ScheduleRun, at now: ModelMoment) {
    history.note(.givenBack(run: run.number), at: now)
    if let task = run.task { act(.end(task: task)) }
  }
}
