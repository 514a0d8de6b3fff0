// Chunks, checkpoints and the result: what runs between the beginning and the end of a stint.

extension WorkerMachine {
  /// The running chunk made a new state.
  ///
  /// - Parameters:
  ///   - took: How long it ran.
  ///   - cost: What it cost in the computation's units.
  ///   - outlook: The outlook of the new state.
  ///   - isTrial: Whether the state is the same as before, and only the time is news.
  ///   - moment: Now.
  /// - Returns: What the driver has to do.
  package mutating func chunkFinished(
    took: Duration, cost: Double, outlook: Outlook, isTrial: Bool = false, at moment: Moment
  ) -> [Action] {
    running.chunkEnded("finished")
    if fitTest.chunks.isSample(cost: cost) { doubts.measured(took, cost: cost) }
    remember(.init(took: took, cost: cost))
    fitTest.chunkTook(took, cost: cost)
    work.chunkFinished(took: took, outlook: outlook, isTrial: isTrial)
    if !isTrial { stint?.chunkFinished() }
    if phase == .working, let step = stepTooLong() {
      return doubted(step, at: moment)
    }
    return advance(at: moment)
  }

  /// Takes note of a chunk for the stints of later processes, unless it was expected to be too
  /// short to say anything of others.
  private mutating func remember(_ chunk: WorkHistory.MeasuredChunk) {
    guard fitTest.chunks.isSample(cost: chunk.cost) else { return }
    let most = policy.toldChunks
    stint?.measured(chunk, most: most)
  }

  /// The running chunk saw the stop flag and left the state as it was.
  package mutating func chunkGaveUp(at moment: Moment) -> [Action] {
    let cut = running.chunkEnded("gave up")
    let ran = cut.startedAt.duration(to: moment.now)
    remember(.init(took: ran, cost: cut.cost, isCut: true))
    fitTest.chunkTook(ran, cost: cut.cost, isCut: true)
    return advance(at: moment)
  }

  /// The running chunk failed: what is complete is saved, then the worker ends with the error.
  package mutating func chunkFailed(_ error: StintError, at moment: Moment) -> [Action] {
    running.chunkEnded("failed")
    // Given up, and later than the end of the worker, which stands (W6).
    if case .ended = phase { return [] }
    return failing(error, at: moment)
  }

  /// The running chunk made a part of the result durable that is not made again: the stint is not
  /// fruitless (W13).
  ///
  /// In every phase, because a chunk that was given up may still do so; nothing else follows from
  /// it.
  ///
  /// - Returns: Whether it is the first time in this stint.
  package mutating func progressKept() -> Bool {
    doubts.progressIsDurable()
    guard let stint, !stint.keptProgress else { return false }
    self.stint?.progressKept()
    return true
  }

  /// The checkpoint that was asked for is durable and verified.
  ///
  /// - Parameters:
  ///   - took: How long it took.
  ///   - checkpointBytes: What another checkpoint of its state would take, in bytes: without the
  ///     output that is durable since; nil if as much.
  ///   - moment: Now.
  /// - Returns: What the driver has to do.
  package mutating func saved(
    took: Duration, checkpointBytes: Int? = nil, at moment: Moment
  ) -> [Action] {
    let done = running.saveEnded("was saved")
    let wasLearnt = fitTest.checkpoints.samples >= policy.earlySamples
    fitTest.checkpointTook(took, bytes: done.bytes)
    schedule.checkpointCompleted(cost: took)
    work.saved(done, checkpointBytes: checkpointBytes, at: moment.now)
    stint?.saved()
    doubts.progressIsDurable()
    if case .ended = phase { return [] }
    if running.delivery == .done { return finished(at: moment) }
    var actions: [Action] = []
    if wasLearnt, took > done.predicted {
      actions.append(.notice(.slowCheckpoint(took: took, predicted: done.predicted)))
    }
    switch phase {
    case .closing(.didNotFit), .closing(.expired):
      if let next = goOn(at: moment) { return actions + next }
    case .closing, .idle, .registering, .working, .delivering, .parked, .paused, .ended:
      break
    }
    return actions + advance(at: moment)
  }

  /// The checkpoint that was asked for could not be written; the generation before stands (C4).
  package mutating func saveFailed(_ error: StintError, at moment: Moment) -> [Action] {
    _ = running.saveEnded("failed")
    work.saveFailed(at: moment.now)
    if case .ended = phase { return [] }
    if running.delivery == .done { return finished(at: moment) }
    let notice = Action.notice(.saveFailed(error, inARow: work.failedSaves))
    // Who else works on the job goes on with it (C6).
    let isLast = work.failedSaves >= policy.failedCheckpoints || error.code == .busy
    switch phase {
    case .closing(.failed):
      return [notice] + fail(with: ends.failure ?? error, at: moment)
    case .closing(let end):
      // With nothing in hand nothing is lost by an older checkpoint that failed.
      if work.isDurable { return [notice] + advanceClosing(end, at: moment) }
      if !isLast, canStillSave(at: moment) {
        return [notice] + advance(at: moment)
      }
      // The end of the stint must not say that the work is saved.
      return [notice] + fail(with: error, at: moment)
    case .working:
      return [notice] + (isLast ? fail(with: error, at: moment) : advance(at: moment))
    case .delivering:
      return [notice] + advance(at: moment)
    case .idle, .registering, .parked, .paused, .ended:
      // A checkpoint behind work that has been completed or given up meanwhile.
      return [notice]
    }
  }

  /// The instant that was asked for has come.
  package mutating func timePassed(at moment: Moment) -> [Action] {
    lateness.woken(at: moment.now)
    return advance(at: moment)
  }

  // MARK: Steps

  mutating func advance(at moment: Moment) -> [Action] {
    switch phase {
    case .working:
      return running.chunk == nil ? startNext(at: moment) : watchChunk(at: moment)
    case .closing(let end):
      return advanceClosing(end, at: moment)
    case .delivering:
      return watchDelivery(at: moment)
    case .idle, .registering, .parked, .paused, .ended:
      return []
    }
  }

  /// Nothing runs on the compute lane: start the next thing that fits.
  private mutating func startNext(at moment: Moment) -> [Action] {
    guard let range = work.outlook.next else { return completed(at: moment) }
    if ends.stop != nil { return close(.stopRequested, at: moment) }
    return start(range, at: moment) ?? close(.didNotFit, at: moment)
  }

  /// Runs a chunk; nil if none fits.
  private mutating func start(_ range: Outlook.ChunkRange, at moment: Moment) -> [Action]? {
    let situation = situation(at: moment)
    let bytes = work.outlook.checkpointBytes
    guard
      case .run(let cost) = fitTest.verdict(
        range: range, checkpointBytes: bytes, situation: situation)
    else { return nil }
    let reserve = fitTest.reserve(
      cost: cost, outputPerCost: range.outputPerCost, checkpointBytes: bytes,
      situation: situation)
    running.chunkBegan(RunningWork.Chunk(startedAt: moment.now, cost: cost, reserve: reserve))
    phase = .working
    let saving = isSavedBehind(cost: cost) ? saveBehind(at: moment) : saveIfDue(at: moment)
    return saving + [.runChunk(cost: cost)] + wake(at: moment)
  }

  func situation(at moment: Moment) -> FitTest.Situation {
    FitTest.Situation(
      remaining: moment.remaining, budget: budget, isEarly: isEarly(at: moment),
      inHand: work.unsaved,
      savingNow: restOfSave(at: moment),
      lateness: closing - policy.closing,
      isFirstOfStint: stint?.chunks == 0 && work.isDurable, fruitlessStints: doubts.fruitlessStints)
  }

  /// Whether the larger part of the stint's time is left.
  func isEarly(at moment: Moment) -> Bool {
    guard let stint, let deadline = moment.deadline else { return false }
    let granted = stint.beganAt.duration(to: deadline)
    return stint.beganAt.duration(to: moment.now) < granted * (1 - policy.doubtedShare)
  }

  /// The last checkpoint was faster than was kept free for it: goes on with the stint if a chunk
  /// fits the rest.
  ///
  /// - Returns: Nil if the stint ends.
  private mutating func goOn(at moment: Moment) -> [Action]? {
    guard running.chunk == nil, work.isDurable, ends.stop == nil, !ends.pause,
      stint?.isDoubtful != true,
      let range = work.outlook.next,
      moment.remaining.map({ $0 > .zero }) ?? false
    else { return nil }
    return start(range, at: moment)
  }

  /// A chunk runs: save behind it when that is due, and give it up when its time has run out.
  private mutating func watchChunk(at moment: Moment) -> [Action] {
    if let limit = giveUpInstant(deadline: moment.deadline), moment.now >= limit {
      // One that an earlier stint gave up may still run.
      let notices: [Action] = running.chunk?.isGivenUp == false ? [.notice(.chunkGivenUp)] : []
      return notices + close(.expired, at: moment)
    }
    return saveIfDue(at: moment) + wake(at: moment)
  }

  private mutating func advanceClosing(_ end: StintEnd, at moment: Moment) -> [Action] {
    if !work.isDurable, running.save == nil, canStillSave(at: moment) {
      return startSave(at: moment) + closingWake(at: moment)
    }
    let mayWait = closingLimit(at: moment).map { moment.now < $0 } ?? true
    // A checkpoint that is late goes on behind the end of the stint: it becomes durable as a whole
    // or not at all.
    if mayWait && (running.save != nil || (running.chunk != nil && policy.waitsForGivenUpChunk)) {
      return closingWake(at: moment)
    }
    if end == .failed, let failure = ends.failure { return fail(with: failure, at: moment) }
    return endStint(end, at: moment)
  }

  private mutating func closingWake(at moment: Moment) -> [Action] {
    guard let limit = closingLimit(at: moment) else { return [] }
    return wake(limit, at: moment)
  }

  /// Saves what is complete, then fails.
  mutating func failing(_ error: StintError, at moment: Moment) -> [Action] {
    ends.failed(error)
    return close(.failed, at: moment)
  }

  // MARK: Checkpoints

  mutating func saveIfNeeded(at moment: Moment) -> [Action] {
    work.isDurable || running.save != nil ? [] : startSave(at: moment)
  }

  private mutating func saveIfDue(at moment: Moment) -> [Action] {
    guard let due = periodicSave(at: moment), moment.now >= due else { return [] }
    return startSave(at: moment)
  }

  /// Whether the chunk is long enough for a checkpoint behind it, which is durable before its end,
  /// and that checkpoint is cheap beside the work that it saves.
  private func isSavedBehind(cost: Double) -> Bool {
    guard let long = policy.longChunk, policy.checkpointEvery == nil else { return false }
    let save = fitTest.expectedCheckpoint(bytes: work.outlook.checkpointBytes)
    return fitTest.chunks.expected(cost: cost) >= max(long, save)
      && save <= work.unsaved * policy.behindShare
  }

  /// Saves the state that a long chunk starts from, so that an end at any time finds it durable and
  /// loses little more than that chunk.
  private mutating func saveBehind(at moment: Moment) -> [Action] {
    guard !work.isDurable, running.save == nil, leavesRoomForTheLast(moment.now, at: moment) else {
      return []
    }
    return startSave(at: moment)
  }

  /// When the next periodic checkpoint is to be begun, if there is to be one.
  private func periodicSave(at moment: Moment) -> Instant? {
    guard !work.isDurable, running.save == nil, let due = nextCheckpointInstant,
      leavesRoomForTheLast(max(due, moment.now), at: moment),
      !isEndNear(max(due, moment.now), at: moment)
    else { return nil }
    return due
  }

  /// Whether a checkpoint begun then is not so late that the last one of the stint would have to
  /// wait for it: what that one is for would be lost.
  private func leavesRoomForTheLast(_ instant: Instant, at moment: Moment) -> Bool {
    guard let limit = closingLimit(at: moment) else { return true }
    let both = fitTest.checkpointQuantile(bytes: work.outlook.checkpointBytes) * 2
    return instant.advanced(by: both) <= limit
  }

  /// Whether an end is so near that a periodic checkpoint would be worth less than the time of
  /// chunks that it costs.
  ///
  /// A periodic checkpoint guards against an end that comes before the last one. The interval
  /// balances the cost of a checkpoint against the work of half an interval. If less than half an
  /// interval is left, less work is in danger than that.
  private func isEndNear(_ instant: Instant, at moment: Moment) -> Bool {
    guard !policy.worksWhileSaving, policy.checkpointEvery == nil,
      let limit = closingLimit(at: moment)
    else { return false }
    return instant.advanced(by: schedule.interval / 2) > limit
  }

  mutating func startSave(at moment: Moment) -> [Action] {
    work.saveBegan(at: moment.now)
    let predicted = fitTest.checkpointQuantile(bytes: work.outlook.checkpointBytes)
    let bytes = work.outlook.checkpointBytes
    running.saveBegan(
      RunningWork.Save(
        state: work.current, startedAt: moment.now, predicted: predicted,
        bytes: bytes,
        workTime: work.workTime, progress: work.outlook.progress))
    return [.save]
  }

  /// Whether a checkpoint started now can be durable before the deadline.
  ///
  /// What it is expected to take is no reason not to try: work that is in hand can only be won.
  func canStillSave(at moment: Moment) -> Bool {
    closingLimit(at: moment).map { moment.now < $0 } ?? true
  }

  /// What is left of a checkpoint that is being written.
  private func restOfSave(at moment: Moment) -> Duration {
    guard let save = running.save else { return .zero }
    return max(.zero, save.predicted - save.startedAt.duration(to: moment.now))
  }

  // MARK: Instants

  /// When the next checkpoint is due, if the state has changed by then.
  package var nextCheckpointInstant: Instant? {
    let tried = work.saveTriedAt
    guard var last = tried.map({ max(work.savedAt ?? $0, $0) }) ?? work.savedAt else { return nil }
    var interval = schedule.interval
    if let stint {
      if let cleanAt = stint.cleanAt { last = max(last, cleanAt) }
      // Jobs that end a stint together save together and go on together, so each stint is staggered
      // anew.
      let isFirst = tried.map { $0 < stint.beganAt } ?? true
      if isFirst { interval = schedule.firstInterval(stagger: stagger) }
    }
    return last.advanced(by: interval)
  }

  /// When a running chunk is given up, so that the state it started from is durable before the
  /// deadline.
  private func giveUpInstant(deadline: Instant?) -> Instant? {
    guard let deadline else { return nil }
    // Even if nothing is in hand: what ended later could not be saved any more.
    let bytes = work.outlook.checkpointBytes
    let likely = fitTest.expectedCheckpoint(bytes: bytes)
    let saving =
      work.isDurable
      ? min(likely, running.chunk?.reserve ?? likely)
      : running.chunk?.reserve ?? fitTest.checkpointQuantile(bytes: bytes)
    return deadline.advanced(by: .zero - closing - saving)
  }

  private mutating func wake(at moment: Moment) -> [Action] {
    let due = periodicSave(at: moment)
    // Without an end nobody can come too late.
    let probe =
      lateness.probesLeft > 0 && moment.deadline != nil
      ? moment.now.advanced(by: policy.wakeProbeInterval) : nil
    let first = min(
      giveUpInstant(deadline: moment.deadline) ?? .distantFuture, due ?? .distantFuture,
      probe ?? .distantFuture)
    return wake(first == .distantFuture ? nil : first, at: moment)
  }

  /// Asks to be woken, and takes note of when.
  mutating func wake(_ instant: Instant?, at moment: Moment) -> [Action] {
    lateness.asked(for: instant, at: moment.now)
    return [.wake(instant)]
  }
}
