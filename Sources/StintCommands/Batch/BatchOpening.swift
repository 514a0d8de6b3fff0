import CStint
import Glibc
import StintCore
import StintRuntime

/// The process of `stint batch` while its lines are read, perhaps from a pipe in which nothing
/// comes: nothing is at stake, and it ends at once.
final class BatchOpening: Sendable {
  private struct State {
    var session: BatchSession?
    var ownTask: BackgroundTaskIdentifier?
    var hasEnded = false
  }

  private let teller: BatchTeller
  private let options: BatchOptions
  private let driver: SystemDriver
  private let state = Protected(State())

  init(_ options: BatchOptions, driver: SystemDriver, teller: BatchTeller) {
    self.options = options
    self.driver = driver
    self.teller = teller
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

  /// Launches the application and, with a budget, enters the background: reading the lines counts.
  func begin(_ life: ProcessLife, launchedAt: Instant) {
    life.launch()
    let (grant, _) = driver.begin(
      named: "batch", origin: .here(), handler: .direct({ [weak self] in self?.expired($0) }))
    if case .granted(let task) = grant { state.withLock { $0.ownTask = task } }
    if !life.enterFirstTrip(since: launchedAt) { timeIsUp() }
  }

  /// The task that holds the batch while its lines are read, and its own from then on.
  var ownTask: BackgroundTaskIdentifier? { state.withLock { $0.ownTask } }

  /// The session takes over.
  func isOver(_ session: BatchSession) { state.withLock { $0.session = session } }

  /// The first trip's warning to the batch's own task.
  private func expired(_ expiry: Expiry) {
    guard let session = state.withLock({ $0.session }) else {
      return expiry.reason == .timeElapsed ? timeIsUp() : ()
    }
    session.lines.later { $0.tripExpired() }
  }

  /// Makes the record that explains a kill at the deadline.
  func expiryAnnounced(_ reason: ExpiryReason, _ deadline: Instant, _ openTasks: [String]) {
    state.withLock { $0.session }?.lines.value.directory.record(
      .expiryAnnounced(reason: reason, deadline: deadline, openTasks: openTasks))
  }

  private func timeIsUp() {
    let why = options.file == nil ? ", because the standard input has not ended" : ""
    end(
      "Time was up while the lines were being read\(why); nothing was started.",
      .status(options.unfinishedExitCode))
  }

  /// A signal asks for an end.
  func stopped(by number: Int32) {
    let isInterrupt = number == SIGINT
    end(
      "\(isInterrupt ? "Interrupted" : "Stopped") while the lines were being read; nothing was started.",
      isInterrupt || number == SIGPIPE ? .signal(number) : .status(options.unfinishedExitCode))
  }

  /// The lines or the directory cannot be used.
  func refused(_ error: StintError) { end(error.typed, .status(ExitStatus.of(error))) }

  private func end(_ sentence: String, _ exit: SupervisorExit) {
    guard !state.withLock({ exchange(&$0.hasEnded, with: true) }) else { return }
    teller.say(sentence)
    teller.leaveTerminal()
    driver.terminate()
    exit.leave(unfinished: options.unfinishedExitCode)
  }
}
