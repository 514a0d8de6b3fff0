extension RealTrip {
  /// Two reports nearer than this share of a tick are a change and no tick.
  private static let tickShare = 0.9

  /// What came of it, where so many chunks were complete at the farthest point of earlier trips.
  package func figures(furthest: Int) -> RealFigures {
    var figures = RealFigures()
    figures.end = end
    figures.durable = durable
    figures.furthest = furthest
    figures.length = max(plan.grant, plan.enforced, endedAt)
    guard end != .denied else { return figures }
    figures.isFinished = isFinished
    // What a job that is finished did not need is nobody's loss.
    figures.usable =
      isFinished
      ? min(plan.usable, max(0, endedAt - standstill(from: 0, to: endedAt))) : plan.usable
    figures.isForetold = plan.isForetold
    figures.saved = saved
    figures.unused = isFinished ? 0 : max(0, plan.deadline - endedAt)
    if plan.isForetold, end == .killed || endedAt > plan.deadline {
      figures.overrun = max(0, endedAt - plan.deadline)
    }
    addCheckpoints(to: &figures)
    addChunks(to: &figures)
    addReports(to: &figures)
    return figures
  }

  private func addCheckpoints(to figures: inout RealFigures) {
    let told = lines.filter { $0.event == "checkpoint" }
    figures.checkpoints =
      told.isEmpty ? max(changes, generations.count { $0.namedAt >= 0 }) : told.count
    figures.checkpointTime = Nanoseconds(seconds: told.compactMap(\.tookSeconds).reduce(0, +))
    let claimed = told.compactMap(\.workTimeSeconds).max() ?? 0
    figures.isFalseClaim = claimed > durable.seconds * (1 + 1e-6)
    guard let warned = ledger.first(where: { $0.event == .warned })?.at, figures.saved > 0 else {
      return
    }
    let last = generations.filter { $0.namedAt >= 0 }.map(\.namedAt).max()
    figures.expiryToDurable = last.map { max(0, $0 - warned) }
  }

  private func addChunks(to figures: inout RealFigures) {
    let chunks = lines.filter { $0.event == "chunk" }
    let said = saysItsWork ? lines.compactMap(\.workTimeSeconds).max() : nil
    if let done = said ?? chunks.compactMap(\.doneSeconds).max() {
      figures.lost = max(0, Nanoseconds(seconds: done) - durable)
    }
    for chunk in chunks {
      guard let index = chunk.index, let begin = chunk.beganBootSeconds,
        let end = chunk.bootSeconds
      else { continue }
      if index < figures.furthest {
        figures.doneAgain +=
          Nanoseconds(seconds: end - begin)
          - standstill(from: instant(begin), to: instant(end))
      }
    }
    figures.furthest = max(figures.furthest, (chunks.compactMap(\.index).max() ?? -1) + 1)
  }

  private func addReports(to figures: inout RealFigures) {
    let ticks = lines.filter { $0.event == "tick" && $0.bootSeconds != nil }
    for tick in ticks {
      if let boot = tick.bootSeconds, let rest = tick.remainingSeconds, rest > 0, plan.isForetold {
        figures.remainingError.append(abs(instant(boot + rest) - plan.deadline))
      }
    }
    guard tick > 0 else { return }
    let instants = ticks.compactMap { $0.bootSeconds.map(instant) }
    for (earlier, later) in zip(instants, instants.dropFirst()) {
      let gap = later - earlier
      guard Double(gap) >= Self.tickShare * Double(tick),
        standstill(from: earlier, to: later) == 0
      else { continue }
      figures.tickLateness.append(max(0, gap - tick))
    }
  }

  /// So much of a time the processes were stopped.
  func standstill(from begin: Nanoseconds, to end: Nanoseconds) -> Nanoseconds {
    guard let stop = plan.standstill else { return 0 }
    return max(0, min(end, stop.at + stop.length) - max(begin, stop.at))
  }

  /// The trip as people look at it.
  package func life(beganAt began: Nanoseconds) -> TripLife {
    var life = TripLife(trip: plan)
    life.beganSeconds = began.seconds
    for line in lines {
      guard let boot = line.bootSeconds else { continue }
      let at = instant(boot)
      if line.event == "chunk", let begin = line.beganBootSeconds, let index = line.index {
        life.add(chunk: index, from: max(0, instant(begin)), to: at, isComplete: true)
      }
      if line.event == "checkpoint", let took = line.tookSeconds, let work = line.workTimeSeconds {
        let begin = max(0, at - Nanoseconds(seconds: took))
        life.add(
          checkpointFrom: begin, to: at, isDurable: work <= durable.seconds * (1 + 1e-6),
          work: Nanoseconds(seconds: work))
      }
    }
    if let stop = plan.standstill, stop.at < endedAt {
      life.add(standstillFrom: stop.at, to: min(endedAt, stop.at + stop.length))
    }
    life.end = end
    life.endSeconds = endedAt.seconds
    life.savedSeconds = saved.seconds
    life.lostSeconds = figures(furthest: 0).lost.seconds
    return life
  }
}
