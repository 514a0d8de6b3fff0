import StintCore
import StintRuntime

/// One process's run of a batch: its trips, its lines, its signals.
///
/// The process is the system: each line's process is held by a task of its own, and all of them
/// share the trip's budget (A6, A9). One more task is the batch's own, open while lines may still
/// be started, so that the trip is over when nothing runs and nothing more can.
final class BatchSession: SystemObserver, @unchecked Sendable {
  // Unchecked: what is not constant is touched on the lane alone.

  /// A line as this process knows it.
  struct Line {
    let job: BatchJob
    let before: BatchLog.Entry
    /// How many processes it has had, over all batches, and the time of those that have ended.
    var stints: Int
    var seconds: Double
    /// How many in a row were ended by their time and had saved nothing.
    var cuts: Int
    var task: BackgroundTaskIdentifier?
    var startedAt: Instant?
    var startUnixNanoseconds: Int64 = 0
    /// What its process said of itself last.
    var reading: BatchReading?
    /// Whether the system wants the process to end.
    var mustEnd = false
    /// Whether its process is not started yet: one of an earlier batch still works on the line.
    var isWaiting = false
    /// Why the batch ends its process as failed; nil if it does not.
    var fault: String?
    /// Whether the process was sent SIGTERM; a second one would cut its saving short.
    var wasTold = false
    /// Whether the process is killed because it is overdue.
    var isKilled = false
  }

  /// Which part of the file the lines are; nil if they are all of it.
  let shard: Shard?
  /// How many lines the whole file has.
  let wholeCount: Int
  let settings: BatchSettings
  let driver: SystemDriver
  let runner: any BatchRunner
  let directory: BatchDirectory
  let teller: BatchTeller
  let host: any BatchHost
  let wallClock: @Sendable () -> Int64

  var lines: [Line]
  var machine: BatchMachine
  /// The trip that is under way; nil without a limit.
  var trip: (start: Instant, end: Deadline?)?
  let follower: BudgetFollower
  var ownTask: BackgroundTaskIdentifier?
  /// Why the process has to end, and by which signal it dies.
  var stopReason: ExpiryReason?
  var hasStartedAny = false
  /// Whether another line could have been started when the last trip ended.
  var hadTimeLeft = false
  var logFailure: StintError?
  /// Why the batch is another process's by now.
  var loss: StintError?
  var isTicking = false
  let startFraction: Double
  /// How many lines were done before this process began.
  let finishedBefore: Int

  /// Creates the session of a batch whose application is launched, active, and perhaps in a trip
  /// already.
  init(
    jobs: [BatchJob], shard: Shard? = nil, wholeCount: Int? = nil, settings: BatchSettings,
    driver: SystemDriver, runner: any BatchRunner, directory: BatchDirectory, teller: BatchTeller,
    host: any BatchHost, wallClock: @escaping @Sendable () -> Int64
  ) {
    self.shard = shard
    self.wholeCount = wholeCount ?? jobs.count
    self.settings = settings
    follower = BudgetFollower(settings.sources)
    self.driver = driver
    self.runner = runner
    self.directory = directory
    self.teller = teller
    self.host = host
    self.wallClock = wallClock
    lines = jobs.map { job in
      let before = directory.log.entries[job.key] ?? BatchLog.Entry()
      return Line(
        job: job, before: before, stints: before.stints, seconds: before.seconds,
        cuts: before.cuts)
    }
    let history = lines.map { Self.history(of: $0, startsOver: settings.startsOver) }
    machine = BatchMachine(
      history: history, places: settings.places, leastRemaining: settings.leastRemaining)
    finishedBefore = machine.count(of: .finished)
    startFraction =
      BatchProgress(lines: machine.lines, fractions: [:], startFraction: 0, elapsed: .zero).fraction
  }

  /// What is to be made of what the log says of a line.
  ///
  /// A result that is not the file of then is looked at again by the line itself, whose job knows
  /// what it was.
  private static func history(of line: Line, startsOver: Bool) -> BatchMachine.History {
    if startsOver { return .fresh }
    let isReplaced = line.before.history == .finished && line.before.output?.holds == false
    return isReplaced ? .fresh : line.before.history
  }

  /// Begins with the first trip; on the lane.
  func begin(trip: RunMachine.Time?, ownTask: BackgroundTaskIdentifier?) {
    self.ownTask = ownTask
    driver.add(self)
    handle { $0.begun(trip ?? .unlimited, now: self.driver.environment.now) }
  }

  func begin(_ time: RunMachine.Time) {
    var budget: Duration?
    if case .trip(let start, let end) = time {
      trip = (start, end)
      budget = end.map { start.duration(to: $0.instant) }
      follower.tripBegan(at: start, end: settings.sources.end(ofTripSince: start), of: self)
    }
    directory.record(
      .stintBegan(budget: budget, end: trip?.end, restoredSequence: nil, workTime: .zero))
    tellStanding()
    tellOwed()
    directory.removeOutput(except: Set(lines.map(\.job.key)))
    let left = directory.keysWithOutput()
    for (index, line) in lines.enumerated() {
      // It finished, and its output was not passed on before the process ended.
      if machine.lines[index] == .finished, left.contains(line.job.key) { passOn(line.job) }
    }
    teller.began(progress, finishedBefore: finishedBefore)
    keepTicking()
    if lookForStop() { return }
    perform(machine.tripBegan(remaining: driver.remainingTime))
  }

  // MARK: Performing

  func perform(_ actions: [BatchMachine.Action]) {
    for action in actions {
      switch action {
      case .start(let index): start(index)
      case .tripOver: endTrip()
      case .done: finish()
      }
    }
  }

  private func start(_ index: Int) {
    let job = lines[index].job
    lines[index].mustEnd = false
    lines[index].wasTold = false
    lines[index].isKilled = false
    lines[index].fault = nil
    lines[index].task = hold("line \(job.number)") { $0.expired(index, $1) }
    guard lines[index].task != nil else { return later { $0.over(index, .unfinished) } }
    hasStartedAny = true
    if let holder = directory.holder(of: job.key) {
      teller.say(
        "Line \(job.number) still runs from an earlier batch"
          + "\(holder > 0 ? " (process \(holder))" : ""); waiting for it to end: \(job.title)")
      lines[index].isWaiting = true
      return lookAgain(index)
    }
    launch(index)
  }

  private func launch(_ index: Int) {
    let job = lines[index].job
    lines[index].stints += 1
    lines[index].startedAt = driver.environment.now
    lines[index].startUnixNanoseconds = wallClock()
    log(record(.lineBegan, index), durably: false)
    let stint = lines[index].stints
    let isFirst = stint == lines[index].before.stints + 1
    if isFirst, stint > 1 { directory.removeFailedOutput(of: job.key) }
    let grant = settings.grant(
      remaining: driver.remainingTime, startsOver: settings.startsOver && isFirst)
    let deadline = driver.remainingTime.duration.map { driver.environment.now.advanced(by: $0) }
    runner.start(
      BatchLaunch(
        line: index, number: job.number, arguments: job.arguments(grant),
        wantsEvents: job.wantsEvents, speaks: job.verb == .run, deadline: deadline,
        outputPath: directory.outputPath(of: job.key), errorPath: directory.errorPath(of: job.key),
        kept: job.keeps(grant)),
      events: { [weak self] bytes in
        guard let reading = BatchReading(events: bytes) else { return }
        self?.later { $0.lines[index].reading = reading }
      },
      end: { [weak self] exit in self?.later { $0.ended(index, stint: stint, exit) } })
  }

  // MARK: Lines that wait

  /// How often it is looked whether the process of an earlier batch has ended.
  private static let looksEvery = Duration.milliseconds(50)

  private func lookAgain(_ index: Int) {
    driver.environment.schedule(at: driver.environment.now.advanced(by: Self.looksEvery)) {
      [weak self] in self?.later { $0.startIfFree(index) }
    }
  }

  private func startIfFree(_ index: Int) {
    guard lines[index].isWaiting, !hasEnded else { return }
    let rest = driver.remainingTime.duration ?? settings.leastRemaining
    if machine.phase != .working || rest < settings.leastRemaining { return giveUp(index) }
    if machine.isHeld || directory.holder(of: lines[index].job.key) != nil {
      return lookAgain(index)
    }
    lines[index].isWaiting = false
    launch(index)
  }

  /// The line waits for another trip, or another batch.
  func giveUp(_ index: Int) {
    later { session in
      // Race: it is given up by its own warning and by the batch's.
      guard session.lines[index].isWaiting else { return }
      session.lines[index].isWaiting = false
      session.over(index, .unfinished)
    }
  }

  // MARK: Tasks

  /// Begins a task; nil if the system denies it.
  private func hold(
    _ name: String, expired: @escaping @Sendable (BatchSession, ExpiryReason) -> Void
  ) -> BackgroundTaskIdentifier? {
    let (grant, _) = driver.begin(
      named: name, origin: .here(),
      handler: .direct({ [weak self] expiry in self?.later { expired($0, expiry.reason) } }))
    guard case .granted(let task) = grant else { return nil }
    return task
  }

  func holdOwnTask() {
    ownTask = hold("batch") { session, _ in session.tripExpired() } ?? ownTask
  }

  func letGo(_ task: inout BackgroundTaskIdentifier?) {
    if let task { driver.end(task, origin: .here(), quietly: true) }
    task = nil
  }

  /// Runs on the lane, after what runs there now.
  func later(_ body: @escaping @Sendable (BatchSession) -> Void) {
    host.lane.enqueue { body(self) }
  }

  // MARK: Lines that end

  /// The process of a line's stint has ended, or was killed and is no longer waited for.
  func ended(_ index: Int, stint: Int, _ exit: BatchExit) {
    let line = lines[index]
    // Race: one that is not waited for has ended.
    guard machine.lines[index] == .running, line.stints == stint, !hasEnded else { return }
    let rest = driver.remainingTime.duration ?? .seconds(3600)
    var outcome = BatchVerdict.outcome(
      of: exit, isClosing: line.mustEnd || machine.phase != .working || rest <= settings.lead * 1.1,
      wasTold: line.wasTold)
    let wasCut = outcome == .unfinished && !line.wasTold && BatchVerdict.wasCut(exit, line.job)
    lines[index].cuts = wasCut ? line.cuts + 1 : 0
    let took = line.startedAt.map { $0.duration(to: driver.environment.now) } ?? .zero
    lines[index].seconds += took.inSeconds
    var record = record(.lineEnded, index)
    record.outcome = outcome
    record.words = (line.job.verb == .run ? [] : ["exec"]) + line.job.words
    record.startUnixSeconds = Double(line.startUnixNanoseconds) / 1e9
    record.seconds = took.inSeconds
    record.totalSeconds = lines[index].seconds
    switch exit {
    case .exited(let status): record.exitStatus = status
    case .signalled(let number): record.signal = number
    case .notStarted(let error): record.reason = Sentence.of(error)
    }
    var advice = outcome == .finished ? nil : line.fault
    if lines[index].cuts >= BatchVerdict.mostCuts {
      advice = BatchVerdict.reasonOfCuts
      lines[index].cuts = 0
    }
    if let advice {
      outcome = .failed
      record.outcome = outcome
      record.reason = advice
    } else if wasCut {
      record.wasCut = true
    }
    if outcome == .failed, record.reason == nil {
      record.reason = BatchOutput.lastWords(in: directory.errorPath(of: line.job.key))
    }
    if outcome == .finished {
      record.output = line.job.outputPath.flatMap(BatchOutputMark.init(path:))
    }
    if teller.hasJobLog { record.isForJobLog = true }
    if teller.printsRecords { record.isForOutput = true }
    // Who reads the record finds the files.
    if outcome == .failed {
      BatchOutput.keep(outputPaths(line.job), as: directory.failedPaths(of: line.job.key))
    }
    log(record, durably: outcome == .finished)
    // Of a line that goes on, all of it comes together at the end.
    if outcome != .unfinished { passOn(line.job, hasFailed: outcome == .failed) }
    tellOthers(record)
    teller.ended(line.job, record, advice: advice)
    over(index, outcome)
  }

  /// The line's place is free.
  private func over(_ index: Int, _ end: BatchLineEnd) {
    lines[index].startedAt = nil
    letGo(&lines[index].task)
    _ = lookForStop()
    perform(machine.lineEnded(index, end, remaining: driver.remainingTime))
    show()
  }

  private func record(_ event: BatchRecord.Event, _ index: Int) -> BatchRecord {
    BatchRecord(
      event, of: lines[index].job, stints: lines[index].stints, unixNanoseconds: wallClock())
  }

  /// Gives the job log and standard output a record that the batch's own log has.
  ///
  /// A batch that is killed in between tells it the next time.
  private func tellOthers(_ record: BatchRecord) {
    let log = directory.log
    // A record that is missing in the log is told twice, which is better than never.
    if teller.hasJobLog, record.isForJobLog == true {
      let told = BatchRecord(.lineTold, after: record)
      teller.tellJobLog(record) { try? log.append(told, durably: false) }
    }
    if teller.printsRecords, record.isForOutput == true {
      let printed = BatchRecord(.linePrinted, after: record)
      teller.printRecord(
        record, isPrinted: { try? log.append(printed, durably: false) },
        readerGone: host.readerGone)
    }
  }

  /// What batches before this one did not get out.
  private func tellOwed() {
    directory.log.entries.values.flatMap(\.owed).sorted { $0.unixSeconds < $1.unixSeconds }
      .forEach(tellOthers)
  }

  private func log(_ record: BatchRecord, durably: Bool) {
    writeLog { () throws(StintError) in try directory.log.append(record, durably: durably) }
  }

  /// Passes the output of a line on; what a line that failed has written stays for people.
  private func passOn(_ job: BatchJob, hasFailed: Bool = false) {
    teller.passOn(
      outputPaths(job), keptAs: hasFailed ? directory.failedPaths(of: job.key) : nil,
      readerGone: host.readerGone)
  }

  private func outputPaths(_ job: BatchJob) -> BatchOutput.Paths {
    BatchOutput.Paths(
      output: directory.outputPath(of: job.key), errors: directory.errorPath(of: job.key))
  }

  // MARK: The end

  /// Nothing more is done by this process.
  func finish() {
    handle { $0.workEnded() }
  }

  /// Says how it ended; called once.
  func conclude() {
    var account = BatchAccount(
      key: directory.key, path: directory.path, progress: progress,
      finishedBefore: finishedBefore, stopReason: stopReason)
    account.shard = shard
    let failed = lines.indices.filter { machine.lines[$0] == .failed }
    account.failures = failed.map { lines[$0].job.number }
    let begun = lines.indices.filter { !machine.lines[$0].isSettled && lines[$0].stints > 0 }
    account.startingOver = begun.filter { !lines[$0].job.isResumable }.map { lines[$0].job.number }
    account.hasSaved = begun.contains { lines[$0].job.isResumable }
    account.logFailure = logFailure
    account.error = loss
    account.hadTimeLeft = hadTimeLeft
    account.displacement = directory.displacement()
    if !hasStartedAny, account.unfinished > 0, stopReason == nil {
      account.error = settings.noTimeError()
    }
    directory.forgetStop()
    directory.record(.stintEnded(reason: account.stintEnd, saved: .zero, lost: .zero))
    if account.isFinished {
      directory.record(.finished(sizeBytes: 0, checksum: "", workTime: .zero))
    }
    letGo(&ownTask)
    host.leave(account)
  }
}
