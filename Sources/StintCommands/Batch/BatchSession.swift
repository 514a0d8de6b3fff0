import Glibc
import StintCore
import StintRuntime

/// A batch as the work of its process: brings what happens on other threads to the batch's lane,
/// and writes the last words.
final class BatchSession: Workload {
  /// How long the end waits for those who read what was written, beyond which it is written the
  /// next time.
  private static let readersMayTake = Duration.milliseconds(250)
  /// How long the lines are being killed at a second signal.
  private static let killingMayTake = Duration.seconds(1)
  /// What is left for the last steps of the process.
  private static let leavingMayTake = Duration.milliseconds(10)

  let lane: any Lane
  /// What runs the lines; on the lane.
  let lines: Confined<BatchDriver>
  private let life: ProcessLife
  private let runner: any BatchRunner
  private let teller: BatchTeller
  private let ending: Ending

  /// How the process ends.
  struct Ending: Sendable {
    var launchedAt: Instant
    var display: DisplayOptions
    /// The status of `--unfinished-exit-code`.
    var unfinishedStatus = ExitStatus.unfinished
    /// Hears of the account; called once.
    var account: @Sendable (BatchAccount) -> Void = { _ in }
  }

  init(
    _ lines: Confined<BatchDriver>, on lane: any Lane, life: ProcessLife, runner: any BatchRunner,
    teller: BatchTeller, ending: Ending
  ) {
    self.lines = lines
    self.lane = lane
    self.life = life
    self.runner = runner
    self.teller = teller
    self.ending = ending
  }

  // MARK: The workload

  var savingLane: any Lane { lane }
  var lookingLane: any Lane { lane }
  private var driver: BatchDriver { lines.value }

  func willEnterTrip() { driver.holdOwnTask() }
  func begin(_ time: RunMachine.Time) { driver.begin(time) }
  func goOn(inAnotherTrip isAnother: Bool) { driver.goOn(inAnotherTrip: isAnother) }
  func save() { driver.stopLines() }
  func rests() { driver.rest() }
  func tripEndMoved() { driver.tripEndMoved() }
  var isStopAsked: Bool { driver.isStopAsked }
  func endAfterCheckpoint() { driver.stop(.stopRequested) }
  func end(bySignal number: Int32, within grace: Duration) { driver.stop(.signal(number)) }

  func willStop() -> Bool {
    // Race: it was asked for just before the lines began.
    guard driver.machine.running == 0 || driver.machine.isHeld else { return false }
    teller.leaveTerminal()
    return true
  }

  func recordMovedEnd(_ end: Deadline?) {
    driver.directory.record(.deadlineMoved(to: end), durably: true)
  }

  func systemDid(_ event: SystemEvent) {
    switch event {
    case .suspended: lines.later { $0.suspended() }
    case .stopCompleted: lines.later { $0.endOverdue() }
    case .answered, .expired, .deadlineMoved, .deadlineExtended, .stateChanged, .resumed,
      .becameActive, .terminating, .memoryIsShort, .refreshStatusChanged, .terminated:
      break
    }
  }

  func say(_ sentence: String) { teller.say(sentence) }

  // MARK: The end

  func die(of number: Int32) {
    // The lines are killed first, with all that they have started: no other signal cuts that short,
    // but it must not take long.
    let environment = life.driver.environment
    environment.schedule(at: environment.now.advanced(by: Self.killingMayTake)) { [life] in
      life.rules.leave(.signal(number))
    }
    runner.kill(nil) { [life] in life.rules.leave(.signal(number)) }
  }

  // What still runs is told of the end by the kernel, and saves.
  func exitWithoutWords(dyingOf number: Int32?) -> SupervisorExit? {
    .status(ending.unfinishedStatus)
  }

  func leave(_ end: RunMachine.End) {
    let account = driver.conclude()
    ending.account(account)
    let now = life.driver.environment.now
    let elapsed = ending.launchedAt.duration(to: now)
    if life.hasTrip || account.stopReason != nil { life.limitLastWords() }
    life.driver.terminate()
    let isQuiet = ending.display.quiet && account.error == nil && account.progress.failed == 0
    if !isQuiet { teller.say(account.sentence(elapsed: elapsed)) }
    teller.afterwards { [self] in leave(account, elapsed: elapsed) }
  }

  /// On the thread that writes, when all is written.
  private func leave(_ account: BatchAccount, elapsed: Duration) {
    var account = account
    let jobLogFailure = teller.flushJobLog(within: patienceWithReaders)
    account.logFailure = account.logFailure ?? jobLogFailure ?? teller.outputError
    var status = account.exitStatus(unfinished: ending.unfinishedStatus)
    if ending.display.json {
      status = StandardOutput().writeAccount(
        account.json(exitStatus: status, elapsed: elapsed), status: status)
    }
    let number = life.machine.firstSignal.flatMap { [SIGINT, SIGPIPE].contains($0) ? $0 : nil }
    life.rules.leave(number.map { .signal($0) } ?? .status(status))
  }

  /// How long readers are waited for: not until the kernel ends this process.
  private var patienceWithReaders: Duration {
    guard let end = life.hardStop else { return Self.readersMayTake }
    let rest = life.driver.environment.now.duration(to: end) - Self.leavingMayTake
    return min(Self.readersMayTake, max(.zero, rest))
  }
}
