import Glibc
import StintCore
import StintRuntime

/// One slice of a chain: runs its work, and decides what follows.
///
/// What is decided is written down before the engine is told. Where this process is killed, the
/// next slice does the rest.
struct ChainLink {
  /// What a link works with.
  struct Setup {
    let slice: EngineSlice
    let submission: ChainSubmission
    let catalog: JobCatalog
    let life: any LinkLife
    /// The folders and files that the work needs, each with its option.
    let places: (LaunchRecord) -> [(option: String, path: String)]
    /// How much a job has durably, as a number that grows.
    let durablePoints: (_ key: String) -> UInt64
    /// Takes sentences for the log of the chain.
    let say: @Sendable (String) -> Void

    /// Holds the slices that wait, and says why in the engine's queue.
    func hold(_ key: String, because why: String) {
      let node = slice.node.map { " (node \($0))" } ?? ""
      if let failure = submission.engine.hold(slice.array, because: why + node) {
        say("The slices that wait could not be held: \(failure)")
      } else {
        say("The slices that wait are held; see: stint status \(key)")
      }
    }
  }

  private let setup: Setup
  private let chain: ChainJob
  private var record: ChainRecord
  private var engine: any Engine { setup.submission.engine }
  private var slice: EngineSlice { setup.slice }

  /// Runs a slice of a submission; the status that the engine gets.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  static func run(
    _ key: String, submission: Int, patience: JobLock.Patience, _ setup: Setup
  ) throws -> Int32 {
    var link: ChainLink
    do {
      link = try ChainLink(key, patience: patience, setup)
    } catch let error as StintError where error.code == .busy && patience.isOver() {
      setup.say("\(error.typed); the next slice waits, too")
      return ((try? setup.catalog.chain(key)) ?? nil)?.sliceExitCode ?? ExitStatus.finished
    } catch let error as StintError {
      // Each slice that waits would meet it, too.
      setup.hold(key, because: error.typed)
      throw error
    }
    return try link.run(submission)
  }

  /// Takes hold of the chain.
  private init(_ key: String, patience: JobLock.Patience, _ setup: Setup) throws {
    guard let description = try setup.catalog.record(of: key), description.kind == ChainJob.kind
    else { throw StintError(.usage, "\(key) is not a chain.") }
    let chain = try ChainJob(
      description, in: setup.catalog, patience: patience, report: setup.say)
    guard let record = try chain.read() else {
      throw StintError(.damaged, "\(key) has no \(ChainRecord.fileName); submit the work again.")
    }
    (self.setup, self.chain, self.record) = (setup, chain, record)
  }

  private mutating func run(_ submission: Int) throws -> Int32 {
    guard record.submission == submission else {
      setup.say("This slice is of an earlier submission, and does nothing.")
      _ = engine.cancelPending([slice.array])
      return ExitStatus.finished
    }
    guard record.state != .ended, !isStopped else {
      if record.state != .ended { try conclude(.stopped) }
      setup.say("The chain has ended; this slice does nothing. \(record.why ?? "")")
      // Whoever ended it may not have come further.
      try tellOthers(slice.array)
      return ExitStatus.finished
    }
    record.array = slice.array
    record.state = .active
    try judgePast()
    // The task that is one too many only judges.
    if record.state != .ended, record.submission == submission, record.link >= record.links {
      try conclude(.usedUp)
    }
    guard record.state != .ended, record.submission == submission else {
      return ExitStatus.unavailable
    }
    return try work()
  }

  private var isStopped: Bool { chain.job.isSet(.stop) }

  // MARK: The work

  /// Does the work of the slice; the status that the engine gets.
  private mutating func work() throws -> Int32 {
    record.link += 1
    record.isLinkOpen = true
    record.linkJob = slice.job
    record.durablePoints = durablePoints
    try chain.write(record)
    chain.job.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero), durably: true)
    if let text = unreachable() {
      setup.say("The folder \(text)")
      // A slice that did nothing is none.
      record.link -= 1
      setup.hold(chain.job.key, because: text)
      record.isLinkOpen = false
      try chain.write(record)
      endStint(.failed)
      return ExitStatus.io
    }
    let end = try setup.life.run(record.launch, in: chain, jobsPath: setup.catalog.jobsPath)
    let status = Self.status(end)
    let unfinished = isStopped ? StintEnd.stopRequested : .expired
    endStint(status == 0 ? .finished : status == ExitStatus.unfinished ? unfinished : .failed)
    // The engine's signal may reach the command before this process.
    var told: SliceEnd?
    if status != 0, !isStopped, let job = record.linkJob {
      told = engine.end(of: job) ?? (setup.life.isTold ? engine.endByWarning : nil)
      if let told { chain.job.record(.terminationInferred(cause: told.rawValue), durably: false) }
    }
    try follow(judge(end, told))
    let isFollowed = record.state != .ended || record.ending == .stopped
    return status == ExitStatus.unfinished && isFollowed ? record.sliceExitCode : status
  }

  /// What this node does not reach of the folders that the work needs, as a clause; nil if it is in
  /// its own folder and reaches the others.
  private func unreachable() -> String? {
    let directory = record.launch.directory
    let code = setup.life.enter(directory)
    guard code == 0 else {
      return "\(directory) cannot be entered: \(String(cString: strerror(code)))"
    }
    for (option, path) in setup.places(record.launch) {
      guard let folder = FilePath(path).from(FilePath(directory)).folder?.text else { continue }
      if access(folder, F_OK) != 0, errno != EACCES {
        return "\(folder) (of --\(option)) cannot be reached: \(String(cString: strerror(errno)))"
      }
    }
    return nil
  }

  private func endStint(_ reason: StintEnd) {
    chain.job.record(.stintEnded(reason: reason, saved: .zero, lost: .zero), durably: true)
  }

  private func judge(_ end: CommandEnd, _ told: SliceEnd?) -> ChainMachine.LinkEnd {
    if isStopped, Self.status(end) != 0 { return .stopped }
    switch end {
    case .exited(ExitStatus.finished): return .finished
    case .exited(ExitStatus.unfinished): return .unfinished
    // A command may take the signal of its end for a failure.
    case _ where told?.isExcused ?? false: return .died(isExcused: true)
    case .exited(let status) where [ExitStatus.unavailable, ExitStatus.io].contains(status):
      return makesNoProgress ? .noProgress : .hindered(status: status)
    // A command that was killed at its deadline, as a shell tells it.
    case .exited(128 + SIGKILL): return .died(isExcused: false)
    case .exited(let status): return .failed(status: status)
    case .signalled(let number, _):
      // Asked to end from outside, and it had nothing to save.
      return .died(isExcused: [SIGTERM, SIGINT, SIGHUP].contains(number))
    }
  }

  private var workKey: String? { setup.catalog.workKey(ofChain: chain.job.key) }
  private var durablePoints: UInt64 { workKey.map(setup.durablePoints) ?? 0 }
  private var makesNoProgress: Bool {
    workKey.map { setup.catalog.summary(of: $0).journal.stintsWithoutProgress >= 3 } ?? false
  }

  private static func status(_ end: CommandEnd) -> Int32 {
    switch end {
    case .exited(let status): status
    case .signalled(let number, _): 128 + number
    }
  }

  // MARK: What follows

  /// Takes note of a link that never said how it ended.
  private mutating func judgePast() throws {
    guard record.isLinkOpen else { return }
    record.isLinkOpen = false
    let end = engine.end(of: record.linkJob ?? "\(slice.array)_\(record.link)")
    if let end, chain.job.history.lastStint?.ended == nil {
      chain.job.record(.terminationInferred(cause: end.rawValue), durably: false)
    }
    try follow(.died(isExcused: end?.isExcused ?? false))
  }

  /// Decides what follows a link that has ended.
  private mutating func follow(_ end: ChainMachine.LinkEnd) throws {
    var machine = ChainMachine(links: record.links, deaths: record.deaths)
    let next = machine.linkEnded(
      end, number: record.link, madeProgress: durablePoints > record.durablePoints)
    record.deaths = machine.deaths
    record.isLinkOpen = false
    switch next {
    case .link where slice.task >= record.tasks: try conclude(.usedUp)
    case .link: try chain.write(record)
    case .ended(let ending): try conclude(ending, of: end)
    }
  }

  /// The chain is over: that is written down before the engine is told.
  private mutating func conclude(
    _ ending: ChainMachine.Ending, of end: ChainMachine.LinkEnd? = nil
  ) throws {
    if ending == .usedUp, record.isEndless { return try submitAgain() }
    var why = sentence(ending, end)
    if ending != .finished, ending != .stopped, record.followers[.finished] != nil {
      why += " So what was to follow (--then) is not submitted."
    }
    try chain.end(&record, ending, why)
    if ending == .finished {
      chain.job.record(.finished(sizeBytes: 0, checksum: "", workTime: .zero), durably: true)
    } else {
      setup.say(why)
    }
    try tellOthers(record.array)
  }

  private func sentence(_ ending: ChainMachine.Ending, _ end: ChainMachine.LinkEnd?) -> String {
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

  /// How often a slice tries to submit something, and the time between.
  private static let turns = 12
  private static let turn = Duration.seconds(5)

  /// Whether another try of what was refused is of no use.
  private func isOver(_ refusal: StintError) -> Bool {
    engine.refusal(refusal) == .permanent || isStopped
  }

  /// Does what the end of a chain asks for: tells the engine and the array of chains, and submits
  /// what follows.
  ///
  /// Slices that wait are cancelled only when that is done. Where the engine takes nothing for a
  /// while, or this process is killed, the next slice does it again.
  private mutating func tellOthers(_ array: String?) throws {
    var refusal: StintError?
    for turn in 1...Self.turns {
      do {
        refusal = try record.chains == nil ? submitFollowers() : settle()
      } catch let error as StintError where error.code == .io {
        // A disk that is full now may have room in a minute.
        refusal = error
      }
      guard let refusal else { break }
      if turn == 1 { setup.say("What follows was not submitted: \(refusal.message)") }
      if isOver(refusal) { break }
      if let array, engine.refusal(refusal) == .ofLimits {
        // Tasks that wait count against the limit of the user.
        engine.cancel(array, after: slice.task, of: record.tasks)
      }
      if setup.life.isTold { break }
      setup.life.rest(Self.turn)
    }
    if let refusal {
      guard isOver(refusal) || slice.task >= record.tasks || array == nil else { return }
      if let key = record.chains {
        var array = try arrayOfChains(key)
        try array.giveUp(refusal)
      } else {
        try record.note(refusal, in: chain)
      }
    }
    if let array, let failure = engine.cancelPending([array]) {
      setup.say(
        "The rest of the array could not be cancelled: \(failure); its slices will do nothing")
    }
  }

  private func arrayOfChains(_ key: String) throws -> ChainArray {
    try ChainArray(key, in: setup.catalog, setup.submission, say: setup.say)
  }

  /// Tells the array of the chain's end, and hands over what follows; why the engine took nothing,
  /// if no other chain of the array is left to try again.
  private func settle() throws -> StintError? {
    guard let key = record.chains, let place = record.place, let ending = record.ending else {
      return nil
    }
    // Nothing else is done while the array is held, because other slices wait for it.
    var array = try arrayOfChains(key)
    try array.settle(place, ending)
    guard let refusal = try array.feed() else { return nil }
    return try array.isInHands() ? nil : refusal
  }

  /// Submits what is to follow, once; why the engine did not take it, or nil.
  ///
  /// With shards it is written down in the record of the first one, which the slice that ends last
  /// holds for that.
  private mutating func submitFollowers() throws -> StintError? {
    guard !record.followers.isEmpty, let (keeper, ending) = try keeperOfFollowers() else {
      return nil
    }
    if keeper === chain {
      return try record.submitFollowers(at: ending, to: engine, in: chain, say: setup.say)
    }
    guard var kept = try keeper.read() else { return nil }
    return try kept.submitFollowers(at: ending, to: engine, in: keeper, say: setup.say)
  }

  /// How long a slice of another shard is waited for that does not work any more.
  private static let patience = Duration.seconds(60)

  /// The chain whose record says whether what follows was submitted, and how the work ended; nil
  /// while a shard has not ended.
  private func keeperOfFollowers() throws -> (ChainJob, ChainMachine.Ending)? {
    guard let own = try setup.catalog.record(of: chain.job.key), let shard = own.shard else {
      return record.ending.map { (chain, $0) }
    }
    let parts = setup.catalog.records(ofKind: ChainJob.kind).filter {
      $0.whole == own.whole && $0.shard?.count == shard.count
    }
    let endings = try parts.map { part in
      let record = try setup.catalog.chain(part.key.description)
      return record?.state == .ended ? record?.ending : nil
    }
    guard parts.count == shard.count, let ending = ChainMachine.ending(of: endings),
      let first = parts.first(where: { $0.shard?.number == 1 })
    else { return nil }
    if shard.number == 1 { return (chain, ending) }
    let keeper = try ChainJob(
      first, in: setup.catalog,
      patience: JobLock.Patience(duration: Self.patience, waitsForLiving: true), report: setup.say)
    return (keeper, ending)
  }

  /// Hands as many slices over again.
  private mutating func submitAgain() throws {
    let before = record
    record.submission += 1
    (record.link, record.isLinkOpen, record.linkJob) = (0, false, nil)
    do {
      try handOver()
      // The task that would have judged the last slice.
      if let array = before.array { _ = engine.cancelPending([array]) }
      setup.say(
        "All slices were used; submitted as many again, as "
          + engine.title(ofJob: record.array ?? "?"))
    } catch let error as StintError where error.code == .unavailable {
      if slice.task < before.tasks, engine.refusal(error) != .permanent {
        // The last task tries again.
        record = before
        record.isLinkOpen = false
        return try chain.write(record)
      }
      let why =
        "All \(record.links) slices are used, and submitting as many again failed: \(error.message)."
      setup.say(why)
      try chain.end(&record, .usedUp, why)
      try tellOthers(nil)
    }
  }

  /// Tries for a minute.
  private mutating func handOver() throws {
    for turn in 1...Self.turns {
      do {
        return try setup.submission.handOver(&record, chain)
      } catch let error as StintError where error.code == .unavailable {
        if turn == Self.turns || setup.life.isTold || isOver(error) { throw error }
        if turn == 1 {
          setup.say("As many slices again were not submitted: \(error.message)")
        }
      }
      setup.life.rest(Self.turn)
    }
  }
}
