extension TripWorld {
  /// What can happen next; of what is due at the same instant the earlier case comes first.
  private enum Event {
    case checkpointEnds, chunkEnds, standsStill, warned, noticed, woken, killed
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
    worker.began(self)
    while !isOver {
      let (event, instant) = next()
      now = max(now, instant)
      happen(event, to: &worker)
    }
    worker.ended(isKilled: account.end != .inOrder, self)
  }

  private func next() -> (Event, Nanoseconds) {
    var best = (Event.killed, enforced)
    func offer(_ event: Event, _ instant: Nanoseconds?) {
      if let instant, instant <= best.1 { best = (event, instant) }
    }
    offer(.woken, wakeAt)
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
      if toldDeadline == nil { toldDeadline = deadline }
      worker.warned(self)
    case .noticed:
      notice = nil
      account.wasWarned(at: now)
      toldDeadline = deadline
      worker.warned(self)
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

  private func chunkEnds() {
    guard var done = chunk else { return }
    pauseChunk()
    done = chunk ?? done
    chunk = nil
    account.chunkEnded(done, index: complete.position, at: now)
    complete.position += 1
    complete.total += done.ran
    lastChunk = done.ran
  }

  private func checkpointEnds() {
    guard let done = checkpoint else { return }
    checkpoint = nil
    durable = done.state
    lastCheckpoint = now - done.beganAt - done.stoodStill
    account.checkpointEnded(done, at: now, isDurable: true)
    if now <= deadline { account.durableInTime = durable }
    if chunk != nil { chunk?.runsSince = now }
  }

  /// Nothing happens, and the clock goes on.
  private func standStill() -> Nanoseconds {
    guard let stop = standstill else { return 0 }
    standstill = nil
    account.stoodStill(from: now, for: stop.length)
    pauseChunk()
    now += stop.length
    if checkpoint != nil {
      checkpoint?.endsAt += stop.length
      checkpoint?.stoodStill += stop.length
    } else if chunk != nil {
      chunk?.runsSince = now
    }
    if !stop.counts {
      deadline += stop.length
      enforced += stop.length
      toldDeadline = toldDeadline.map { $0 + stop.length }
      warning = warning.map { $0 + stop.length }
      notice = notice.map { $0 + stop.length }
    }
    return stop.length
  }
}
