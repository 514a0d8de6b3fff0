import StintCore
import StintRuntime

/// Drives the machine of a batch: starts its lines, ends them, and writes down what became of them.
///
/// The process is the system: each line's process is held by a task of its own, and all of them
/// share the trip's budget (A6, A9). One more task is the batch's own, open while lines may still
/// be started, so that the trip is over when nothing runs and nothing more can.
final class BatchDriver {
  /// A line that runs, or waits for its place.
  struct Active {
    let job: BatchJob
    /// Which of its runs this is, if it failed before, from 1.
    let run: Int
    var task: BackgroundTaskIdentifier?
    var startedAt: Instant?
    var startUnixNanoseconds: Int64 = 0
    /// What its process said of itself last.
    var reading: StatusReport?
    /// Whether the system wants the process to end.
    var mustEnd = false
    /// Whether its process is not started yet: one of an earlier batch still works on the line.
    var isWaiting = false
    /// Why the batch ends its process as failed; nil if it does not.
    var fault: BatchFault?
    /// Whether the process was sent SIGTERM; a second one would cut its saving short.
    var wasTold = false
    /// Whether that was because its time had run out.
    var wasToldInTime = false
    /// Whether the process is killed because it is overdue.
    var isKilled = false
  }

  /// What is known of every line; there may be a million.
  struct Account {
    /// How many processes it has had, over all batches.
    var stints: Int32
    /// How many of them in a row were ended by their time and had saved nothing.
    var cuts: UInt8
    /// Whether its output waits for that of the lines before it.
    var hasOutput = false
    /// The time of its processes that have ended, in seconds.
    var seconds: Double
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
  let life: ProcessLife
  let wallClock: @Sendable () -> Int64
  /// This driver, for those who are not on its lane.
  unowned let confined: Confined<BatchDriver>

  let lines: BatchLines
  var accounts: [Account]
  /// The lines that run, by their positions.
  var active: [Int: Active] = [:]
  var machine: BatchMachine
  /// The records that are not on disk yet, and what is told of each when it is.
  var unsynced: [(BatchDriver) -> Void] = []
  /// The lines that have ended and whose records are not on disk yet, with how often.
  var untold: [Int: Int] = [:]
  /// The first line whose output was not passed on, where the order is kept.
  var nextInOrder = 0
  /// When a line was started last.
  var lastStart: Instant?
  /// Whether it was said why lines wait to be started, now or ever.
  var hasToldObstacle = false
  var wasHeldUp = false
  var ownTask: BackgroundTaskIdentifier?
  /// Why the process has to end, and by which signal it dies.
  var stopReason: ExpiryReason?
  var hasStartedAny = false
  /// The lines that this process has started, where it starts over; else none.
  var startedHere: Set<Int> = []
  /// Whether another line could have been started when the last trip ended.
  var hadTimeLeft = false
  var logFailure: StintError?
  /// Why the batch is another process's by now.
  var loss: StintError?
  var isTicking = false
  let startFraction: Double
  /// How many lines were done before this process began.
  let finishedBefore: Int

  /// Creates the driver of a batch whose application is launched, active, and perhaps in a trip
  /// already.
  init(
    lines: BatchLines, shard: Shard? = nil, wholeCount: Int? = nil, settings: BatchSettings,
    life: ProcessLife, ownTask: BackgroundTaskIdentifier?, runner: any BatchRunner,
    directory: BatchDirectory, teller: BatchTeller, wallClock: @escaping @Sendable () -> Int64,
    confined: Confined<BatchDriver>
  ) {
    self.lines = lines
    self.shard = shard
    self.wholeCount = wholeCount ?? lines.count
    self.settings = settings
    self.life = life
    driver = life.driver
    self.ownTask = ownTask
    self.runner = runner
    self.directory = directory
    self.teller = teller
    self.wallClock = wallClock
    self.confined = confined
    var accounts: [Account] = []
    var history: [BatchMachine.History] = []
    accounts.reserveCapacity(lines.count)
    history.reserveCapacity(lines.count)
    let entries = directory.log.entries
    for index in lines.indices {
      let before = entries.isEmpty ? nil : entries[lines.key(of: index)]
      accounts.append(
        Account(
          stints: Int32(clamping: before?.stints ?? 0), cuts: UInt8(clamping: before?.cuts ?? 0),
          seconds: before?.seconds ?? 0))
      history.append(
        before.map { Self.history(of: $0, in: directory, settings.options.fresh) } ?? .fresh)
    }
    self.accounts = accounts
    machine = BatchMachine(history: history, rules: settings.machineRules)
    finishedBefore = machine.count(of: .finished)
    startFraction =
      BatchProgress(machine, fractions: [], startFraction: 0, elapsed: .zero).fraction
  }

  /// What is to be made of what the log says of a line.
  ///
  /// A result that is not the file of then is looked at again by the line itself, whose job knows
  /// what it was.
  private static func history(
    of before: BatchLog.Entry, in directory: BatchDirectory, _ startsOver: Bool
  ) -> BatchMachine.History {
    if startsOver { return .fresh }
    let isReplaced =
      before.history == .finished && before.output?.holds(directory.base) == false
    return isReplaced ? .fresh : before.history
  }

  /// The first trip has begun, or time without an end.
  func begin(_ time: RunMachine.Time) {
    var (budget, end): (Duration?, Deadline?)
    if case .trip(let start, let tripEnd) = time {
      end = tripEnd
      budget = tripEnd.map { start.duration(to: $0.instant) }
    }
    directory.record(
      .stintBegan(budget: budget, end: end, restoredSequence: nil, workTime: .zero))
    tellStanding()
    tellOwed()
    directory.removeOutput { lines.index(of: $0) == nil }
    for key in directory.keysWithOutput() {
      guard let index = lines.index(of: key), machine.lines[index] == .finished else { continue }
      // It finished, and its output was not passed on before the process ended.
      accounts[index].hasOutput = true
      if !settings.options.keepsOrder { passOn(index) }
    }
    passOnInOrder()
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
      case .retry(let index): retryLater(index)
      case .askForStart: askForStart()
      case .endRunning: endRunning()
      case .tripOver: endTrip()
      case .done: finish()
      }
    }
  }

  private func start(_ index: Int) {
    let job: BatchJob
    do throws(StintError) {
      job = try lines.job(of: index)
    } catch {
      // What its words name was changed since they were checked.
      let number = lines.number(of: index)
      var lost = BatchJob(
        number: number, verb: .exec, words: ["--", lines.title(of: index)],
        key: lines.key(of: index))
      lost.isBare = true
      active[index] = Active(job: lost, run: machine.run(of: index))
      let stint = Int(accounts[index].stints)
      return later { $0.ended(index, stint: stint, .notStarted(error)) }
    }
    active[index] = Active(job: job, run: machine.run(of: index))
    active[index]?.task = hold("line \(job.number)") { $0.expired(index, $1) }
    guard active[index]?.task != nil else { return later { $0.over(index, .unfinished) } }
    hasStartedAny = true
    if let holder = directory.holder(of: job.key) {
      teller.say(
        "Line \(job.number) still runs from an earlier batch"
          + "\(holder > 0 ? " (process \(holder))" : ""); waiting for it to end: \(job.title)")
      active[index]?.isWaiting = true
      return lookAgain(index)
    }
    launch(index)
  }

  private func launch(_ index: Int) {
    guard let job = active[index]?.job else { return }
    accounts[index].stints += 1
    let now = driver.environment.now
    active[index]?.startedAt = now
    active[index]?.startUnixNanoseconds = wallClock()
    log(record(.lineBegan, index, job), durably: false)
    let stint = Int(accounts[index].stints)
    let startsOver = settings.options.fresh && startedHere.insert(index).inserted
    if stint > 1, active[index]?.run == 1 { directory.removeFailedOutput(of: job.key) }
    let budget = settings.budget(remaining: driver.remainingTime)
    let deadline = driver.remainingTime.duration.map { now.advanced(by: $0) }
    runner.start(
      BatchLaunch(
        line: index, number: job.number,
        arguments: job.arguments(settings, budget: budget, startsOver: startsOver),
        command: job.plainCommand, budget: budget?.time, stint: stint,
        stopGrace: max(settings.graceOfLine, settings.lead),
        wantsEvents: job.wantsEvents,
        speaks: job.verb == .run, deadline: deadline,
        outputPath: directory.outputPath(of: job.key), errorPath: directory.errorPath(of: job.key),
        kept: job.keeps(startsOver: startsOver)),
      events: { [weak confined] bytes in
        guard let reading = StatusReport(events: bytes) else { return }
        confined?.later { $0.active[index]?.reading = reading }
      },
      end: { [weak confined] exit in confined?.later { $0.ended(index, stint: stint, exit) } })
    limitTime(of: index, stint: stint)
  }

  // MARK: Lines that wait

  /// How often it is looked whether the process of an earlier batch has ended.
  private static let looksEvery = Duration.milliseconds(50)

  private func lookAgain(_ index: Int) {
    after(Self.looksEvery) { $0.startIfFree(index) }
  }

  private func startIfFree(_ index: Int) {
    guard let line = active[index], line.isWaiting, !hasEnded else { return }
    let rest = driver.remainingTime.duration ?? settings.leastRemaining
    if machine.phase != .working || rest < settings.leastRemaining { return giveUp(index) }
    if machine.isHeld || directory.holder(of: line.job.key) != nil { return lookAgain(index) }
    active[index]?.isWaiting = false
    launch(index)
  }

  /// The line waits for another trip, or another batch.
  func giveUp(_ index: Int) {
    later { batch in
      // Race: it is given up by its own warning and by the batch's.
      guard batch.active[index]?.isWaiting == true else { return }
      batch.active[index]?.isWaiting = false
      batch.over(index, .unfinished)
    }
  }

  // MARK: Tasks

  /// Begins a task; nil if the system denies it.
  private func hold(
    _ name: String, expired: @escaping @Sendable (BatchDriver, ExpiryReason) -> Void
  ) -> BackgroundTaskIdentifier? {
    let (grant, _) = driver.begin(
      named: name, origin: .here(),
      handler: .direct({ [weak confined] expiry in confined?.later { expired($0, expiry.reason) } })
    )
    guard case .granted(let task) = grant else { return nil }
    return task
  }

  /// Begins the batch's own task, unless it is open.
  func holdOwnTask() {
    if ownTask == nil { ownTask = hold("batch") { batch, _ in batch.tripExpired() } }
  }

  func letGo(_ task: inout BackgroundTaskIdentifier?) {
    if let task { driver.end(task, origin: .here(), quietly: true) }
    task = nil
  }

  /// Runs the body after what runs on the lane now.
  func later(_ body: @escaping @Sendable (BatchDriver) -> Void) { confined.later(body) }

  /// Runs the body on the lane after a time, unless the process is leaving then.
  func after(_ time: Duration, _ body: @escaping @Sendable (BatchDriver) -> Void) {
    driver.environment.schedule(at: driver.environment.now.advanced(by: time)) { [weak confined] in
      confined?.later { if !$0.hasEnded { body($0) } }
    }
  }

  // MARK: The end

  /// Whether the last words are being written.
  var hasEnded: Bool { life.hasEnded }

  /// Nothing more is done by this process.
  func finish() { life.handle { $0.workEnded() } }

  /// Writes down how it ended; called once.
  func conclude() -> BatchAccount {
    synchronize()
    var account = BatchAccount(
      key: directory.key, path: directory.path, progress: progress,
      finishedBefore: finishedBefore, stopReason: stopReason)
    account.shard = shard
    account.isHalted = machine.isHalted
    for index in lines.indices {
      if machine.lines[index] == .failed { account.failures.append(lines.number(of: index)) }
      guard !machine.lines[index].isSettled, accounts[index].stints > 0 else { continue }
      if (try? lines.job(of: index))?.isResumable == true {
        account.hasSaved = true
      } else {
        account.startingOver.append(lines.number(of: index))
      }
    }
    account.logFailure = logFailure
    account.error = loss
    account.hadTimeLeft = hadTimeLeft
    account.displacement = directory.displacement()
    if !hasStartedAny, account.unfinished > 0, stopReason == nil, !wasHeldUp {
      account.error = settings.noTimeError()
    }
    directory.forgetStop()
    directory.record(.stintEnded(reason: account.stintEnd, saved: .zero, lost: .zero))
    if account.isFinished {
      directory.record(.finished(sizeBytes: 0, checksum: "", workTime: .zero))
    }
    letGo(&ownTask)
    return account
  }
}
