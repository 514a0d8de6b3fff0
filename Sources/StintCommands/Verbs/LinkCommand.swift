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

  let context: VerbContext
  private let launch: Launch
  let queue: Slurm
  private let environment: [String: String]
  /// Whether somebody told this slice to end before its time.
  let isTold = Protected(false)
  /// Which task of the array this slice is.
  var task: Int { environment["SLURM_ARRAY_TASK_ID"].flatMap { Int($0) } ?? 0 }

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
      task > 0
    else {
      throw StintError(
        .usage, "stint link runs inside a Slurm array that stint submit has made, and nowhere else."
      )
    }
    let chain: ChainJob
    var record: ChainRecord
    do {
      chain = try take(key)
      guard let read = try chain.read() else {
        throw StintError(.damaged, "\(key) has no \(ChainRecord.fileName); submit the work again.")
      }
      record = read
    } catch let error as StintError {
      // Each slice that waits would meet it, too.
      hold(own, because: error.typed)
      throw error
    }
    guard record.submission == submission, record.state != .ended, !chain.job.isSet(.stop) else {
      if record.submission == submission {
        if record.state != .ended { try conclude(.stopped, chain, &record) }
        say("The chain has ended; this slice does nothing. \(record.why ?? "")")
        // Whoever ended it may not have come further.
        try tellOthers(chain, &record, own)
      } else {
        say("This slice is of an earlier submission, and does nothing.")
        _ = queue.cancelPending(own)
      }
      exit(ExitStatus.finished)
    }
    record.array = own
    record.state = .active
    try judgePast(chain, &record, own)
    // The task that is one too many only judges.
    if record.state != .ended, record.submission == submission, record.link >= record.links {
      try conclude(.usedUp, chain, &record)
    }
    guard record.state != .ended, record.submission == submission else {
      exit(ExitStatus.unavailable)
    }
    exit(try work(chain, &record))
  }

  /// Takes hold of the chain; ends the process where another one holds it for all of its time.
  private func take(_ key: String) throws -> ChainJob {
    guard let description = try context.catalog.record(of: key), description.kind == ChainJob.kind
    else { throw StintError(.usage, "\(key) is not a chain.") }
    let time = try TimeOptions(context.parsed, in: launch.surroundings)
    let sources = try time.sources()
    let patience = JobLock.Patience(duration: .nanoseconds(Int64.max), waitsForLiving: true) {
      SignalWatch.pendingOrWarned() != nil
        || sources.end(ofTripSince: launch.start.launchedAt).map { $0.instant <= BootClock.now }
          ?? false
    }
    do {
      return try ChainJob(
        parameters: JobParameters(description.parameters), jobsPath: context.catalog.jobsPath,
        patience: patience
      ) { say($0) }
    } catch let error as StintError where error.code == .busy && patience.isOver() {
      say("\(error.typed); the next slice waits, too")
      let record = try? ChainJob.read("\(context.catalog.jobsPath)/\(key)")
      exit(record?.sliceExitCode ?? ExitStatus.finished)
    }
  }

  /// Holds the slices that wait, and says why in the comment of the job.
  private func hold(_ array: String, because why: String) {
    let node = environment["SLURMD_NODENAME"].map { " (node \($0))" } ?? ""
    if let failure = queue.hold(array, comment: ChainScript.mark + why + node) {
      say("The slices that wait could not be held: \(failure)")
    } else {
      say("The slices that wait are held; see: stint status \(context.parsed.operands[0])")
    }
  }

  private func operands() throws -> (String, Int) {
    let operands = context.parsed.operands
    guard operands.count == 2, let submission = Int(operands[1]) else {
      throw StintError(.usage, "stint link is for the scripts that stint submit makes.")
    }
    return (try context.key(named: operands[0]), submission)
  }

  // MARK: The work

  /// Does the work of the slice; the status that Slurm gets.
  private func work(_ chain: ChainJob, _ record: inout ChainRecord) throws -> Int32 {
    record.link += 1
    record.isLinkOpen = true
    record.linkJob = EngineJob { environment[$0] }?.job
    record.durablePoints = durablePoints(chain)
    try chain.write(record)
    chain.job.record(
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero), durably: true)
    if let text = unreachable(record) {
      say("The folder \(text)")
      // A slice that did nothing is none.
      record.link -= 1
      hold(record.array ?? "", because: text)
      record.isLinkOpen = false
      try chain.write(record)
      endStint(chain, .failed)
      return ExitStatus.io
    }
    let end = try child(chain, record)
    let status = Self.status(end)
    let unfinished = chain.job.isSet(.stop) ? StintEnd.stopRequested : .expired
    endStint(
      chain, status == 0 ? .finished : status == ExitStatus.unfinished ? unfinished : .failed)
    // Slurm's signal may reach the command before this process.
    var told: SliceEnd?
    if status != 0, !chain.job.isSet(.stop), let job = record.linkJob {
      told = queue.end(of: job)
      if let told { chain.job.record(.terminationInferred(cause: told.rawValue), durably: false) }
    }
    try follow(judge(end, chain, told), chain, &record)
    let isFollowed = record.state != .ended || record.ending == .stopped
    return status == ExitStatus.unfinished && isFollowed ? record.sliceExitCode : status
  }

  /// What this node does not reach of the folders that the work needs, as a clause; nil if it is in
  /// its own folder and reaches the others.
  private func unreachable(_ record: ChainRecord) -> String? {
    guard chdir(record.directory) == 0 else {
      return "\(record.directory) cannot be entered: \(String(cString: strerror(errno)))"
    }
    guard
      case .verb(_, let parsed)? = try? CommandLineRequest(
        arguments: record.words, environment: [:], kinds: context.kinds)
    else { return nil }
    for name in SubmittedWork.places {
      guard let place = parsed.text(name), place != "-",
        let folder = FilePath(place).from(FilePath(record.directory)).folder?.text
      else { continue }
      if access(folder, F_OK) != 0, errno != EACCES {
        return "\(folder) (of --\(name)) cannot be reached: \(String(cString: strerror(errno)))"
      }
    }
    return nil
  }

  private func endStint(_ chain: ChainJob, _ reason: StintEnd) {
    chain.job.record(.stintEnded(reason: reason, saved: .zero, lost: .zero), durably: true)
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
    launch.start.signals.start { [isTold] number in
      if number == SIGTERM { isTold.withLock { $0 = true } }
      if number != SIGTSTP, number != SIGCONT { kill(pid, number) }
    }
    let process = CommandProcess(processID: pid, leadsGroup: false)
    let ended = stint_pidfd_open(pid)
    defer { if ended >= 0 { close(ended) } }
    var isStopped = false
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
      if !isStopped, chain.job.isSet(.stop) {
        isStopped = true
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

  private func judge(
    _ end: CommandEnd, _ chain: ChainJob, _ told: SliceEnd?
  ) -> ChainMachine.LinkEnd {
    if chain.job.isSet(.stop), Self.status(end) != 0 { return .stopped }
    switch end {
    case .exited(ExitStatus.finished): return .finished
    case .exited(ExitStatus.unfinished): return .unfinished
    // A command may take the signal of its end for a failure.
    case _ where told?.isExcused ?? false: return .died(isExcused: true)
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

  func say(_ sentence: String) {
    writeToStandardError("stint: \(Sentence.of(sentence))\n")
  }
}
