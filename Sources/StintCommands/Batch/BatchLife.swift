import CStint
import Glibc
import StintCore
import StintRuntime

/// The life of the process of `stint batch`: before its session is there, and after it has ended.
///
/// Signals and the system reach the session by its lane. While the lines are read, perhaps from a
/// pipe in which nothing comes, nothing is at stake, and the process ends at once.
final class BatchLife: BatchHost {
  private struct State {
    var session: BatchSession?
    var driver: SystemDriver?
    var trip: RunMachine.Time?
    var ownTask: BackgroundTaskIdentifier?
    /// When the kernel ends this process.
    var hardStop: Instant?
    var hasEnded = false
  }

  let lane: any BatchLane = SerialThread(name: "stint-batch")
  private let teller: BatchTeller
  private let options: BatchOptions
  private let settings: BatchSettings
  private let launchedAt: Instant
  private let state = Protected(State())
  let life: RunLife

  /// How long the end waits for those who read what was written, beyond which it is written the
  /// next time.
  private static let readersMayTake = Duration.milliseconds(250)

  /// How long the lines are being killed at a second signal.
  private static let killingMayTake = Duration.seconds(1)

  /// What is left for the last steps of the process.
  private static let leavingMayTake = Duration.milliseconds(10)

  init(
    options: BatchOptions, settings: BatchSettings, launchedAt: Instant, teller: BatchTeller
  ) {
    self.teller = teller
    self.options = options
    self.settings = settings
    self.launchedAt = launchedAt
    life = RunLife(settings.lifeRules)
  }

  /// Launches the application and, with a budget, enters the background: reading the lines counts.
  func begin(_ driver: SystemDriver) {
    state.withLock { $0.driver = driver }
    driver.launch(.foreground)
    driver.becomeActive()
    let (grant, _) = driver.begin(
      named: "batch", origin: .here(), handler: .direct({ [weak self] in self?.expired($0) }))
    if case .granted(let task) = grant { state.withLock { $0.ownTask = task } }
    guard let time = settings.time(ofTripSince: launchedAt), case .trip(_, let end) = time else {
      return
    }
    let leastEnd = BootClock.now.advanced(by: driver.policy.leastWorthGranting)
    guard end.map({ $0.instant > leastEnd }) ?? true else { return timeIsUpWhileReading() }
    state.withLock { $0.trip = time }
    armHardStop(at: end?.instant.advanced(by: settings.reserve))
    driver.resignActive()
    driver.enterBackground(since: launchedAt, until: end)
  }

  /// Makes the timer by which the kernel ends this process.
  ///
  /// - Throws: ``StintError`` with the code `unavailable`.
  static func makeHardStop() throws(StintError) {
    let result = stint_hard_stop_open()
    guard result != 0 else { return }
    throw StintError(
      .unavailable,
      "The kernel gave no timer, so the deadline could not be enforced; check the limit of pending "
        + "signals (ulimit -i).", errno: -result)
  }

  func armHardStop(at instant: Instant?) {
    state.withLock { $0.hardStop = instant }
    do throws(StintError) {
      try HardStop.shared.set(instant, for: self)
    } catch {
      teller.say(error.typed)
    }
  }

  /// The session takes over; on the lane.
  func started(_ session: BatchSession) {
    let (trip, task) = state.withLock { state in
      state.session = session
      return (state.trip, state.ownTask)
    }
    session.begin(trip: trip, ownTask: task)
  }

  /// The first trip's warning to the batch's own task.
  private func expired(_ expiry: Expiry) {
    guard let session = state.withLock({ $0.session }) else {
      if expiry.reason == .timeElapsed { timeIsUpWhileReading() }
      return
    }
    session.later { $0.tripExpired() }
  }

  private func timeIsUpWhileReading() {
    let why = options.file == nil ? ", because the standard input has not ended" : ""
    end(
      "Time was up while the lines were being read\(why); nothing was started.",
      options.unfinishedExitCode)
  }

  /// The lines or the directory cannot be used.
  func refused(_ error: StintError) {
    end(error.typed, ExitStatus.of(error))
  }

  /// Ends the process before there was a session.
  private func end(_ sentence: String, _ status: Int32, dyingOf number: Int32? = nil) {
    guard isFirstEnd() else { return }
    teller.say(sentence)
    teller.leaveTerminal()
    state.withLock { $0.driver }?.terminate()
    if let number { SignalWatch.die(of: number) }
    exit(with: status)
  }

  private func isFirstEnd() -> Bool {
    state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
  }

  // MARK: The system

  /// Makes the record that explains a kill at the deadline.
  func expiryAnnounced(_ reason: ExpiryReason, _ deadline: Instant, _ openTasks: [String]) {
    state.withLock { $0.session }?.directory.record(
      .expiryAnnounced(reason: reason, deadline: deadline, openTasks: openTasks))
  }

  // MARK: Signals

  /// What a signal means for the batch; on the signals' thread, which must stay free for the next
  /// one.
  func signalCame(_ number: Int32) {
    life.handle(signal: number) { perform($0) }
  }

  func readerGone() { signalCame(SIGPIPE) }

  private func perform(_ action: RunMachine.Action) {
    let session = state.withLock { $0.session }
    switch action {
    case .die(let number):
      guard let session else { SignalWatch.die(of: number) }
      // The lines are killed first, with all that they have started: no other signal cuts that
      // short, but it must not take long.
      state.withLock { $0.driver }?.environment
        .schedule(at: BootClock.now.advanced(by: Self.killingMayTake)) {
          SignalWatch.die(of: number)
        }
      session.perform(action)
    case .requestStop(let number):
      if state.withLock({ $0.hasEnded }) { return }
      guard session != nil else { return endWhileReading(number) }
      // Once more than the lines have: they must not be killed because a reader sleeps.
      limitLastWords(until: BootClock.now.advanced(by: settings.stopGrace + .seconds(1)))
      session?.later { $0.perform(action) }
    case .stopProcess where session == nil:
      // Nothing runs yet that would have to save.
      state.withLock { $0.driver }?.environment.stopProcess()
    case .begin, .goOn, .save, .stopProcess, .rest, .pause, .endAfterCheckpoint, .endWork, .leave:
      session?.later { $0.perform(action) }
    }
  }

  private func endWhileReading(_ number: Int32) {
    let isInterrupt = number == SIGINT
    end(
      "\(isInterrupt ? "Interrupted" : "Stopped") while the lines were being read; nothing was started.",
      options.unfinishedExitCode, dyingOf: isInterrupt || number == SIGPIPE ? number : nil)
  }

  /// Ends the process at an instant if it still waits for somebody to read what it writes.
  private func limitLastWords(until instant: Instant) {
    guard let driver = state.withLock({ $0.driver }) else { return }
    LastMoment.set(instant)
    driver.environment.schedule(at: instant) {
      // What still runs is told of the end by the kernel, and saves.
      SignalWatch.leave(unfinished: self.options.unfinishedExitCode)
    }
  }

  // MARK: The end

  /// The session has ended; the last words are written, and the process ends.
  func leave(_ account: BatchAccount) {
    guard isFirstEnd() else { return }
    let elapsed = launchedAt.duration(to: BootClock.now)
    let (driver, trip) = state.withLock { ($0.driver, $0.trip) }
    if trip != nil || account.stopReason != nil {
      limitLastWords(until: BootClock.now.advanced(by: settings.stopGrace))
    }
    driver?.terminate()
    let isQuiet = options.display.quiet && account.error == nil && account.progress.failed == 0
    if !isQuiet { teller.say(account.sentence(elapsed: elapsed)) }
    teller.afterwards { [self] in
      var account = account
      let jobLogFailure = teller.flushJobLog(within: patienceWithReaders)
      account.logFailure = account.logFailure ?? jobLogFailure ?? teller.outputError
      var status = account.exitStatus(unfinished: options.unfinishedExitCode)
      if options.display.json {
        do {
          try StandardOutput().write(account.json(exitStatus: status, elapsed: elapsed))
        } catch {
          let error = StintError(wrapping: error, while: "writing the account")
          // A reader that has gone wants no account.
          if error.errno != EPIPE {
            writeToStandardError("stint: \(Sentence.of(error))\n")
            if status == ExitStatus.finished { status = ExitStatus.of(error) }
          }
        }
      }
      if let number = life.machine.firstSignal, number == SIGINT || number == SIGPIPE {
        SignalWatch.die(of: number)
      }
      exit(with: status)
    }
  }

  /// How long readers are waited for: not until the kernel ends this process.
  private var patienceWithReaders: Duration {
    guard let end = state.withLock({ $0.hardStop }) else { return Self.readersMayTake }
    let rest = BootClock.now.duration(to: end) - Self.leavingMayTake
    return min(Self.readersMayTake, max(.zero, rest))
  }

  private func exit(with status: Int32) -> Never {
    if status == options.unfinishedExitCode { SignalWatch.leave(unfinished: status) }
    _exit(status)
  }
}
