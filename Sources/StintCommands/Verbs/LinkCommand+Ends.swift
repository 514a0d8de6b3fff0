import Glibc
import StintCore
import StintRuntime

// What follows a slice that has ended.

extension LinkCommand {
  /// Takes note of a link that never said how it ended.
  func judgePast(_ chain: ChainJob, _ record: inout ChainRecord, _ array: String) throws {
    guard record.isLinkOpen else { return }
    record.isLinkOpen = false
    let end = queue.end(of: record.linkJob ?? "\(array)_\(record.link)")
    if let end, chain.job.history.lastStint?.ended == nil {
      chain.job.record(.terminationInferred(cause: end.rawValue), durably: false)
    }
    try follow(.died(isExcused: end?.isExcused ?? false), chain, &record)
  }

  /// Decides what follows a link that has ended.
  func follow(
    _ end: ChainMachine.LinkEnd, _ chain: ChainJob, _ record: inout ChainRecord
  ) throws {
    var machine = ChainMachine(links: record.links, deaths: record.deaths)
    let next = machine.linkEnded(
      end, number: record.link, madeProgress: durablePoints(chain) > record.durablePoints)
    record.deaths = machine.deaths
    record.isLinkOpen = false
    switch next {
    case .link where task >= record.tasks: try conclude(.usedUp, chain, &record)
    case .link: try chain.write(record)
    case .ended(let ending): try conclude(ending, chain, &record, status: end)
    }
  }

  /// The chain is over: that is written down before Slurm is told.
  func conclude(
    _ ending: ChainMachine.Ending, _ chain: ChainJob, _ record: inout ChainRecord,
    status end: ChainMachine.LinkEnd? = nil
  ) throws {
    if ending == .usedUp, record.isEndless { return try submitAgain(chain, &record) }
    record.state = .ended
    record.ending = ending
    record.why = Self.sentence(ending, end, record)
    if ending != .finished, ending != .stopped, record.followers[.finished] != nil {
      record.why? += " So what was to follow (--then) is not submitted."
    }
    record.isLinkOpen = false
    try chain.write(record)
    if ending == .finished {
      chain.job.record(.finished(sizeBytes: 0, checksum: "", workTime: .zero), durably: true)
    }
    if let why = record.why, ending != .finished { say(why) }
    try tellOthers(chain, &record, record.array)
  }

  /// Does what the end of a chain asks for: tells Slurm, the array of chains, and what follows.
  ///
  /// Slices that wait are cancelled only when that is done. Where Slurm takes nothing for a while,
  /// or this process is killed, the next slice does it again.
  func tellOthers(_ chain: ChainJob, _ record: inout ChainRecord, _ array: String?) throws {
    var refusal: StintError?
    for turn in 1...Self.turns {
      do {
        refusal = try record.chains == nil ? submitFollowers(chain, &record) : settle(record)
      } catch let error as StintError where error.code == .io {
        // A disk that is full now may have room in a minute.
        refusal = error
      }
      guard let refusal else { break }
      if turn == 1 { say("What follows was not submitted: \(refusal.message)") }
      if Slurm.isPermanent(refusal) || chain.job.isSet(.stop) { break }
      if let array, Slurm.isOfLimits(refusal) {
        // Tasks that wait count against the limit of the user.
        queue.cancel(array, after: task + 1, of: record.tasks)
      }
      guard !isTold.withLock({ $0 }), SignalWatch.pendingOrWarned() == nil else { break }
      poll(nil, 0, Self.turnMilliseconds)
    }
    if let refusal {
      let isOver = Slurm.isPermanent(refusal) || chain.job.isSet(.stop)
      guard isOver || task >= record.tasks || array == nil else { return }
      try giveUp(refusal, chain, &record)
    }
    if let array, let failure = queue.cancelPending(array) {
      say("The rest of the array could not be cancelled: \(failure); its slices will do nothing")
    }
  }

  /// How often a slice tries to submit what follows, and the time between.
  private static let turns = 12
  private static let turnMilliseconds: Int32 = 5_000

  /// Says in the record that Slurm took nothing of what was to follow, as long as slices were left.
  private func giveUp(
    _ refusal: StintError, _ chain: ChainJob, _ record: inout ChainRecord
  ) throws {
    if let key = record.chains {
      var array = try ChainArray(key, in: context.catalog, submission) { say($0) }
      try array.giveUp(refusal)
    } else {
      record.why? += " What was to follow was not submitted: \(refusal.message)."
      try chain.write(record)
    }
  }

  private var submission: ChainSubmission {
    ChainSubmission(
      program: HelperProgram.ownPath() ?? "stint", jobsPath: context.catalog.jobsPath, queue: queue)
  }

  /// Tells the array of the chain's end, and hands over what follows; why Slurm took nothing, if no
  /// other chain of the array is left to try again.
  private func settle(_ record: ChainRecord) throws -> StintError? {
    guard let key = record.chains, let place = record.place, let ending = record.ending else {
      return nil
    }
    // Nothing else is done while the array is held, because other slices wait for it.
    var array = try ChainArray(key, in: context.catalog, submission) { say($0) }
    try array.settle(place, ending)
    guard let refusal = try array.feed() else { return nil }
    return try array.isInHands() ? nil : refusal
  }

  /// Submits what is to follow, once; why Slurm did not take it, or nil.
  ///
  /// With shards it is written down in the record of the first one, which the slice that ends last
  /// holds for that.
  private func submitFollowers(
    _ chain: ChainJob, _ record: inout ChainRecord
  ) throws -> StintError? {
    guard !record.followers.isEmpty else { return nil }
    guard let (keeper, ending) = try keeperOfFollowers(chain, record) else { return nil }
    guard var kept = keeper === chain ? record : try keeper.read() else { return nil }
    let refusal = try kept.submitFollowers(at: ending, to: queue, in: keeper) { say($0) }
    if keeper === chain { record = kept }
    return refusal
  }

  /// The chain whose record says whether what follows was submitted, and how the work ended; nil
  /// while a shard has not ended.
  private func keeperOfFollowers(
    _ chain: ChainJob, _ record: ChainRecord
  ) throws -> (ChainJob, ChainMachine.Ending)? {
    guard let own = try context.catalog.record(of: chain.job.key), let shard = own.shard else {
      return record.ending.map { (chain, $0) }
    }
    let parts = context.catalog.allRecords().filter {
      $0.kind == ChainJob.kind && $0.whole == own.whole && $0.shard?.count == shard.count
    }
    let endings = try parts.map { part in
      let record = try ChainJob.read("\(context.catalog.jobsPath)/\(part.key)")
      return record?.state == .ended ? record?.ending : nil
    }
    guard parts.count == shard.count, let ending = ChainMachine.ending(of: endings),
      let first = parts.first(where: { $0.shard?.number == 1 })
    else { return nil }
    if shard.number == 1 { return (chain, ending) }
    let keeper = try ChainJob(
      parameters: JobParameters(first.parameters), jobsPath: context.catalog.jobsPath,
      patience: JobLock.Patience(duration: Self.patience, waitsForLiving: true)
    ) { say($0) }
    return (keeper, ending)
  }

  /// How long a slice of another shard is waited for that does not work any more.
  private static let patience = Duration.seconds(60)

  /// Hands as many slices over again.
  private func submitAgain(_ chain: ChainJob, _ record: inout ChainRecord) throws {
    let before = record
    record.submission += 1
    (record.link, record.isLinkOpen, record.linkJob) = (0, false, nil)
    do {
      try handOver(&record, chain)
      // The task that would have judged the last slice.
      if let array = before.array { _ = queue.cancelPending(array) }
      say("All slices were used; submitted as many again, as Slurm job \(record.array ?? "?")")
    } catch let error as StintError where error.code == .unavailable {
      if task < before.tasks, !Slurm.isPermanent(error) {
        // The last task tries again.
        record = before
        record.isLinkOpen = false
        return try chain.write(record)
      }
      record.state = .ended
      record.ending = .usedUp
      record.why =
        "All \(record.links) slices are used, and submitting as many again failed: \(error.message)."
      say(record.why ?? "")
      try chain.write(record)
      try tellOthers(chain, &record, nil)
    }
  }

  /// Tries for a minute.
  private func handOver(_ record: inout ChainRecord, _ chain: ChainJob) throws {
    for turn in 1...Self.turns {
      do {
        return try submission.handOver(&record, chain)
      } catch let error as StintError where error.code == .unavailable {
        let isOver = turn == Self.turns || isTold.withLock { $0 } || chain.job.isSet(.stop)
        if isOver || Slurm.isPermanent(error) { throw error }
        if turn == 1 { say("As many slices again were not submitted: \(error.message)") }
      }
      poll(nil, 0, Self.turnMilliseconds)
    }
  }

  static func sentence(
    _ ending: ChainMachine.Ending, _ end: ChainMachine.LinkEnd?, _ record: ChainRecord
  ) -> String {
    switch ending {
    case .finished: "The work is finished."
    case .failed:
      if case .failed(let status) = end {
        "Slice \(record.link) ended with status \(status), which another one would repeat."
      } else {
        "Slice \(record.link) failed."
      }
    case .noProgress:
      "The work made no progress in several slices; its own message says how much time would do."
    case .died:
      "\(ChainMachine.mostDeaths) slices in a row ended without a new checkpoint."
    case .stopped: "It was stopped."
    case .usedUp:
      "\(record.links == 1 ? "The only slice is" : "All \(record.links) slices are") used, and the work "
        + "is not finished; submit it again to continue."
    }
  }

  /// How much the work has durably, as a number that grows with each checkpoint and each line of a
  /// batch that ended.
  func durablePoints(_ chain: ChainJob) -> UInt64 {
    guard let key = ChainJob.workKey(of: chain.path) else { return 0 }
    return checkpoints(of: key)
      + BatchLog.entries(in: context.catalog.jobsPath + "/" + key).reduce(0) { sum, entry in
        let hasEnded = entry.value.history == .finished || entry.value.history == .failed
        return sum + (hasEnded ? 1 : 0) + checkpoints(of: entry.key)
      }
  }

  private func checkpoints(of key: String) -> UInt64 {
    context.catalog.summary(of: key).journal.lastCheckpoint?.sequence ?? 0
  }
}
