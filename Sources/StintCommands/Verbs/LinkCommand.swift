import CStint
import Glibc
import StintCore
import StintRuntime

extension Verb {
  /// `stint link`: what the script of a chain runs; not for people.
  static let link = Verb(
    VerbSpecification(
      ChainScript.verb, summary: "Run one slice of submitted work (for scripts of stint submit)",
      usage: ["link JOB SUBMISSION"], operands: .own, options: [OptionTable.jobsDirectory])
  ) { invocation in
    try LinkCommand(invocation.context(), launch: invocation.launch).run()
  }
}

/// One slice of a chain: runs the work in a process of its own, and decides what follows.
struct LinkCommand {
  /// The time between two looks for a stop.
  private static let look = Duration.seconds(1)
  /// How long a slice of another shard is waited for that does not work any more.
  private static let patience = Duration.seconds(60)

  private let context: VerbContext
  private let launch: Launch
  private let queue: Slurm
  private let environment: [String: String]

  init(_ context: VerbContext, launch: Launch) {
    self.context = context
    self.launch = launch
    environment = launch.start.environment
    queue = Slurm(environment: environment)
  }

  /// Runs the slice; the process ends here.
  ///
  /// - Throws: ``StintError`` for what is refused before the work.
  func run() throws -> Never {
    let (key, submission) = try operands()
    guard let own = environment["SLURM_ARRAY_JOB_ID"],
      let task = environment["SLURM_ARRAY_TASK_ID"].flatMap({ Int($0) })
    else {
      throw StintError(
        .usage, "stint link runs inside a Slurm array that stint submit has made, and nowhere else."
      )
    }
    guard let description = try context.catalog.record(of: key), description.kind == ChainJob.kind
    else { throw StintError(.usage, "\(key) is not a chain.") }
    let time = try TimeOptions(context.parsed, in: launch.surroundings)
    let sources = try time.sources()
    let patience = JobLock.Patience(duration: .nanoseconds(Int64.max), waitsForLiving: true) {
      SignalWatch.pendingOrWarned() != nil
        || sources.end(ofTripSince: launch.start.launchedAt).map { $0.instant <= BootClock.now }
          ?? false
    }
    let chain: ChainJob
    do {
      chain = try ChainJob(
        parameters: JobParameters(description.parameters), jobsPath: context.catalog.jobsPath,
        patience: patience
      ) { say($0) }
    } catch let error as StintError where error.code == .busy && patience.isOver() {
      say("\(error.typed); the next slice waits, too")
      exit(ExitStatus.unfinished)
    }
    guard var record = try chain.read() else {
      throw StintError(.damaged, "\(key) has no \(ChainRecord.fileName); submit the work again.")
    }
    guard record.submission == submission, record.state != .ended, !chain.job.isSet(.stop) else {
      if record.submission == submission, record.state != .ended {
        try conclude(.stopped, chain, &record)
      }
      say("The chain has ended; this slice does nothing. \(record.why ?? "")")
      // Whoever ended it may not have reached Slurm.
      _ = queue.cancelPending(own)
      if record.submission == submission { try submitFollower(chain, &record) }
      exit(ExitStatus.finished)
    }
    record.array = own
    record.state = .active
    try judgePast(chain, &record, own)
    exit(try work(chain, &record, task))
  }

  private func operands() throws -> (String, Int) {
    let operands = context.parsed.operands
    guard operands.count == 2, let submission = Int(operands[1]) else {
      throw StintError(.usage, "stint link is for the scripts that stint submit makes.")
    }
    return (try context.key(named: operands[0]), submission)
  }

  // MARK: The chain

  /// Takes note of a link that never said how it ended.
  private func judgePast(_ chain: ChainJob, _ record: inout ChainRecord, _ array: String) throws {
    guard record.isLinkOpen else { return }
    record.isLinkOpen = false
    let isExcused = queue.isExcused(array, task: record.link)
    try follow(.died(isExcused: isExcused), chain, &record)
  }

  /// Decides what follows a link that has ended.
  private func follow(
    _ end: ChainMachine.LinkEnd, _ chain: ChainJob, _ record: inout ChainRecord
  ) throws {
    var machine = ChainMachine(links: record.links, deaths: record.deaths)
    let next = machine.linkEnded(
      end, number: record.link, madeProgress: durablePoints(chain) > record.durablePoints)
    record.deaths = machine.deaths
    record.isLinkOpen = false
    switch next {
    case .link: try chain.write(record)
    case .ended(let ending): try conclude(ending, chain, &record, status: end)
    }
  }

  /// The chain is over: that is written down before Slurm is told.
  private func conclude(
    _ ending: ChainMachine.Ending, _ chain: ChainJob, _ record: inout ChainRecord,
    status end: ChainMachine.LinkEnd? = nil
  ) throws {
    if ending == .usedUp, record.isEndless { return try submitAgain(chain, &record) }
    record.state = .ended
    record.ending = ending
    record.why = Self.sentence(ending, end, record)
    record.isLinkOpen = false
    try chain.write(record)
    if ending == .finished {
      chain.job.record(.finished(sizeBytes: 0, checksum: "", workTime: .zero), durably: true)
    }
    if let why = record.why, ending != .finished { say(why) }
    if ending != .usedUp, let array = record.array, let failure = queue.cancelPending(array) {
      say("The rest of the array could not be cancelled: \(failure); its slices will do nothing")
    }
    try submitFollower(chain, &record)
  }

  /// Submits what is to follow finished work, once: that it is tried is written down before.
  private func submitFollower(_ chain: ChainJob, _ record: inout ChainRecord) throws {
    guard record.ending == .finished, !record.follower.isEmpty,
      let keeper = try keeperOfFollower(chain)
    else { return }
    var kept = record
    if keeper !== chain {
      guard let read = try keeper.read() else { return }
      kept = read
    }
    guard kept.followerState == .waiting else { return }
    kept.followerState = .submitting
    try keeper.write(kept)
    do {
      let job = try queue.submit(["sbatch", "--parsable"] + record.follower)
      kept.followerState = .submitted
      say("Submitted what follows as Slurm job \(job)")
    } catch {
      // A slice that is still queued tries again.
      kept.followerState = .waiting
      say("What follows was not submitted: \(error.message)")
    }
    try keeper.write(kept)
    if keeper === chain { record = kept }
  }

  /// The chain whose record says whether what follows was submitted: with shards the first of them,
  /// which the slice that finishes last holds for that; nil while a shard is not finished.
  private func keeperOfFollower(_ chain: ChainJob) throws -> ChainJob? {
    guard let own = try context.catalog.record(of: chain.job.key), let shard = own.shard else {
      return chain
    }
    let parts = context.catalog.allRecords().filter {
      $0.kind == ChainJob.kind && $0.whole == own.whole && $0.shard?.count == shard.count
    }
    guard parts.count == shard.count,
      try parts.allSatisfy({
        try ChainJob.read("\(context.catalog.jobsPath)/\($0.key)")?.ending == .finished
      }), let first = parts.first(where: { $0.shard?.number == 1 })
    else { return nil }
    if shard.number == 1 { return chain }
    return try ChainJob(
      parameters: JobParameters(first.parameters), jobsPath: context.catalog.jobsPath,
      patience: JobLock.Patience(duration: Self.patience, waitsForLiving: true)
    ) { say($0) }
  }

  /// Hands as many slices over again.
  private func submitAgain(_ chain: ChainJob, _ record: inout ChainRecord) throws {
    record.submission += 1
    record.state = .submitting
    record.array = nil
    (record.link, record.isLinkOpen) = (0, false)
    let script = ChainScript(
      record: record, program: HelperProgram.ownPath() ?? "stint",
      jobsPath: context.catalog.jobsPath, key: chain.job.key)
    try chain.replace(ChainJob.script, with: Array(script.text.utf8))
    try chain.write(record)
    do {
      record.array = try queue.submit(script.command(in: chain.path))
      record.state = .active
      say("All slices were used; submitted as many again, as Slurm job \(record.array ?? "?")")
    } catch {
      record.state = .ended
      record.ending = .usedUp
      record.why =
        "All \(record.links) slices are used, and submitting as many again failed: \(error.message)."
      say(record.why ?? "")
    }
    try chain.write(record)
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
      "All \(record.links) slices are used, and the work is not finished; submit it again to "
        + "continue."
    }
  }

  /// How much the work has durably, as a number that grows with each checkpoint and each line of a
  /// batch that ended.
  private func durablePoints(_ chain: ChainJob) -> UInt64 {
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

  // MARK: The work

  private func work(_ chain: ChainJob, _ record: inout ChainRecord, _ task: Int) throws -> Int32 {
    record.link = task
    record.isLinkOpen = true
    record.durablePoints = durablePoints(chain)
    try chain.write(record)
    chain.job.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero), durably: true)
    guard chdir(record.directory) == 0 else {
      let why = String(cString: strerror(errno))
      say("The folder \(record.directory) cannot be entered on this node: \(why)")
      try follow(.hindered(status: ExitStatus.io), chain, &record)
      return ExitStatus.io
    }
    let end = try child(chain, record)
    let status = Self.status(end)
    chain.job.record(
      .stintEnded(
        reason: status == 0 ? .finished : status == ExitStatus.unfinished ? .expired : .failed,
        saved: .zero, lost: .zero), durably: true)
    try follow(judge(end, chain), chain, &record)
    return status
  }

  /// Runs the work and waits for its end; signals are its.
  private func child(_ chain: ChainJob, _ record: ChainRecord) throws -> CommandEnd {
    var words = record.words
    if !words.contains(where: { $0.hasPrefix("--wait-lock") }), !Self.isTimeoutForm(words) {
      words.insert("--wait-lock", at: 1)
    }
    let program = try ProgramFile.own()
    var command = program.command(words.map { Array($0.utf8) })
    command.leadsGroup = false
    command.variables = [
      ChainTie.variable: chain.path, "STINT_JOBS": context.catalog.jobsPath,
      "PWD": record.directory,
    ]
    // What a supervisor that was killed leaves comes here. Children of before are none of ours.
    let isAdopting = ProcessFamily.orphans(besides: []).isEmpty && stint_adopt_orphans(1) == 0
    let pid: Int32
    switch command.start() {
    case .success(let number): pid = number
    case .failure(let failure):
      throw StintError(
        .unavailable, "The work cannot be started: \(String(cString: strerror(failure.errno))).",
        errno: failure.errno)
    }
    launch.start.signals.start { number in
      if number != SIGTSTP, number != SIGCONT { kill(pid, number) }
    }
    let process = CommandProcess(processID: pid, leadsGroup: false)
    let ended = stint_pidfd_open(pid)
    defer { if ended >= 0 { close(ended) } }
    var isTold = false
    while true {
      if let end = process.end() {
        if isAdopting, case .signalled = end {
          ProcessFamily.kill { ProcessFamily.orphans(besides: [pid]) }
        }
        process.reap()
        return end
      }
      var event = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
      let turn = ended >= 0 ? Self.look : .milliseconds(20)
      poll(&event, 1, Int32(turn.nanoseconds / 1_000_000))
      if !isTold, chain.job.isSet(.stop) {
        isTold = true
        kill(pid, SIGTERM)
      }
    }
  }

  /// A command with a plain duration is run as `timeout` would, and is no job that could be held.
  private static func isTimeoutForm(_ words: [String]) -> Bool {
    words.first == "exec"
      && words.dropFirst().first { !$0.hasPrefix("-") }
        .map { TimeoutDuration($0) != nil } ?? false
  }

  private func judge(_ end: CommandEnd, _ chain: ChainJob) -> ChainMachine.LinkEnd {
    if chain.job.isSet(.stop), Self.status(end) != 0 { return .stopped }
    switch end {
    case .exited(ExitStatus.finished): return .finished
    case .exited(ExitStatus.unfinished): return .unfinished
    case .exited(let status) where [ExitStatus.unavailable, ExitStatus.io].contains(status):
      return makesNoProgress(chain) ? .noProgress : .hindered(status: status)
    // A command that was killed at its deadline, as a shell tells it.
    case .exited(128 + SIGKILL): return .died(isExcused: false)
    case .exited(let status): return .failed(status: status)
    case .signalled(let number, _):
      // Asked to end from outside, and it had nothing to save.
      return .died(isExcused: [SIGTERM, SIGINT, SIGHUP].contains(number))
    }
  }

  private func makesNoProgress(_ chain: ChainJob) -> Bool {
    ChainJob.workKey(of: chain.path).map {
      context.catalog.summary(of: $0).journal.stintsWithoutProgress >= 3
    } ?? false
  }

  private static func status(_ end: CommandEnd) -> Int32 {
    switch end {
    case .exited(let status): status
    case .signalled(let number, _): 128 + number
    }
  }

  private func say(_ sentence: String) {
    writeToStandardError("stint: \(Sentence.of(sentence))\n")
  }
}
