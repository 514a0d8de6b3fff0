extension TripWorld {
  /// What can happen next; of what is due at the same instant the earlier case comes first.
  private enum Event {
    case checkpointEnds, chunkEnds, standsStill, warned, noticed, moved, woken, killed
  }

  /// Lives the trip from its beginning to its end.
  package func run(_ worker: inout some ScenarioWorker) {
    if trip.isDenied {
      worker.wasDenied(self)
      isOver = true
      account.wasDenied()
      worker.ended(isKilled: false, self)
      return
    }
    guard load() else { return }
    let isLate = catchUp()
    worker.began(self)
    if isLate, !isOver { worker.warned(self) }
    while !isOver {
      let (event, instant) = next()
      now = max(now, instant)
      happen(event, to: &worker)
    }
    worker.ended(isKilled: account.end != .inOrder, self)
  }

  /// The process is started again and loads its state; nothing else can run meanwhile.
  ///
  /// - Returns: False if its time was gone first: then nobody has heard of this trip.
  private func load() -> Bool {
    hasBegun = true
    guard restart > 0 else { return true }
    var rest = restart
    if let stop = standstill, stop.at < restart {
      now = stop.at
      rest -= stop.at
      account.loaded(for: now)
      _ = standStill()
    }
    let end = now + rest
    guard end < deadline else {
      hasBegun = false
      account.loaded(for: max(0, deadline - now))
      now = max(now, deadline)
      finish(.gone)
      return false
    }
    account.loaded(for: rest)
    now = end
    return true
  }

  /// What was told while the process was loading it knows when it begins.
  ///
  /// - Returns: Whether a warning was among it.
  private func catchUp() -> Bool {
    var isWarned = false
    if let moved = move, moved.at <= now {
      moveEnd()
      isWarned = moved.isWarning
    }
    if let at = warning, at <= now {
      warning = nil
      tell(planned)
      isWarned = true
    }
    if let at = notice, at <= now {
      notice = nil
      tell(deadline)
      isWarned = true
    }
    if isWarned { account.wasWarned(at: now) }
    isEndNews = false
    return isWarned
  }

  private func next() -> (Event, Nanoseconds) {
    var best = (Event.killed, enforced)
    func offer(_ event: Event, _ instant: Nanoseconds?) {
      if let instant, instant <= best.1 { best = (event, instant) }
    }
    offer(.woken, wakeAt)
    offer(.moved, move?.at)
    offer(.noticed, notice)
    offer(.warned, warning)
    offer(.standsStill, standstill?.at)
    if let chunk, let since = chunk.runsSince { offer(.chunkEnds, since + chunk.left) }
    offer(.checkpointEnds, checkpoint?.endsAt)
    return best
  }

  private func happen(_ event: Event, to worker: inout some ScenarioWorker) {
    switch event {
    case .chunkEnds:
      chunkEnds()
      worker.chunkEnded(self)
    case .checkpointEnds:
      checkpointEnds()
      worker.checkpointEnded(self)
    case .warned:
      warning = nil
      account.wasWarned(at: now)
      // Once the rest was taken back, the planned end is of no interest.
      let isTakenBack = trip.notice != nil && notice == nil
      tell(isTakenBack ? deadline : planned)
      worker.warned(self)
    case .noticed:
      notice = nil
      account.wasWarned(at: now)
      tell(deadline)
      worker.warned(self)
    case .moved:
      moveEnd()
      worker.deadlineMoved(self)
    case .woken:
      wakeAt = nil
      worker.woken(self)
    case .standsStill:
      let length = standStill()
      // Continued past its end, the process is gone before it runs again.
      if now > enforced { return killed() }
      worker.wentOn(after: length, self)
    case .killed:
      killed()
    }
  }

  /// The end is told.
  private func tell(_ end: Nanoseconds) {
    isEndNews = toldDeadline != end
    toldDeadline = end
  }

  /// The planned end moves, and its warning with it.
  private func moveEnd() {
    guard let moved = move.take() else { return }
    warning = moved.warned
    // One that comes so near that its warning is over is a warning itself.
    if moved.isWarning { account.wasWarned(at: now) }
    planned += moved.by
    tell(max(now, (toldDeadline ?? planned) + moved.by))
  }

  private func chunkEnds() {
    pauseChunk()
    guard let done = chunk.take() else { return }
    account.chunkEnded(done, index: complete.position, at: now)
    complete.position += 1
    complete.total += done.ran
    lastChunk = done.ran
  }

  private func checkpointEnds() {
    guard let done = checkpoint.take() else { return }
    durable = done.state
    lastCheckpoint = now - done.beganAt - done.stoodStill
    account.checkpointEnded(done, at: now, isDurable: true)
    if let goal, start.total < goal, durable.total >= goal { account.jobIsDone(at: now) }
    if now <= deadline { account.durableInTime = durable }
    chunk?.runsSince = now
  }

  /// Nothing happens, and the clock goes on.
  private func standStill() -> Nanoseconds {
    guard let stop = standstill.take() else { return 0 }
    account.stoodStill(from: now, for: stop.length)
    pauseChunk()
    now += stop.length
    if checkpoint != nil {
      checkpoint?.endsAt += stop.length
      checkpoint?.stoodStill += stop.length
    } else {
      chunk?.runsSince = now
    }
    if !stop.counts {
      deadline += stop.length
      planned += stop.length
      enforced += stop.length
      toldDeadline = toldDeadline.map { $0 + stop.length }
      warning = warning.map { $0 + stop.length }
      notice = notice.map { $0 + stop.length }
      move = move.map { $0.later(by: stop.length) }
    }
    return stop.length
  }
}
