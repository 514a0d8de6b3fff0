import Glibc
import StintCore
import StintRuntime

/// Everything that a batch writes for others: the display, messages, the output of its lines, JSON
/// and the job log.
///
/// A thread of its own writes, because a terminal or a reader may sleep; what decides never waits
/// for it. The text for a terminal goes out in one write, and never while the output of a line
/// does.
final class BatchTeller: Sendable {
  private struct State {
    /// Whether a frame waits already; a newer one is left out.
    var hasFrame = false
    var lastFrame: Instant?
    /// Why something did not get to standard output.
    var outputError: StintError?
  }

  /// How output and records are written.
  struct Form: Sendable {
    var isTagged = false
    /// The folder of `--results`; nil if there is none.
    var results: FilePath?
    var jobLog = BatchOptions.JobLogFormat.json

    init() {}

    init(_ options: BatchOptions, workingDirectory: FilePath) {
      isTagged = options.isTagged
      results = options.results.map { FilePath($0).from(workingDirectory) }
      jobLog = options.jobLogFormat
    }
  }

  /// Frames come at ticks, and between them at most so often.
  private static let leastBetweenFrames = Duration.milliseconds(100)
  /// A batch that is shorter leaves no progress in anybody's log.
  private static let silence = Duration.seconds(1)

  private let options: DisplayOptions
  private let launchedAt: Instant
  private let terminal: @Sendable () -> TerminalState
  /// Used on the thread alone.
  private let display: ProgressDisplay
  private let jobLog: EventLog?
  private let form: Form
  private let state = Protected(State())
  private let thread = SerialThread(name: "stint-output")

  /// Creates a teller that asks for the terminal before each text, and writes to standard error.
  init(
    display options: DisplayOptions, launchedAt: Instant, jobLog: EventLog?,
    terminal: @escaping @Sendable () -> TerminalState, form: Form = Form(),
    write: @escaping @Sendable (String) -> Void = { writeToStandardError($0) }
  ) {
    self.options = options
    self.launchedAt = launchedAt
    self.jobLog = jobLog
    self.form = form
    self.terminal = terminal
    display = ProgressDisplay(quiet: options.quiet, terminal: terminal, write: write)
  }

  /// Why something did not get to standard output; nil if all of it did.
  var outputError: StintError? { state.withLock { $0.outputError } }

  /// Waits for the job log, but not for a reader that sleeps.
  ///
  /// - Returns: Why a record could not be written; nil if no write has failed.
  func flushJobLog(within limit: Duration) -> StintError? {
    jobLog?.flush(within: limit)
    return jobLog?.failure
  }

  // MARK: What is told

  /// Says how the batch stands at its beginning, if anything was done before.
  func began(_ progress: BatchProgress, finishedBefore: Int) {
    guard finishedBefore > 0, finishedBefore < progress.total else { return }
    tell("Continuing: \(finishedBefore) of \(BatchAccount.lines(progress.total)) done.")
  }

  /// Says how a line ended, with advice that the process itself has not given.
  func ended(
    _ job: BatchJob, _ record: BatchRecord, advice: String? = nil, isTriedAgain: Bool = false
  ) {
    let time = Duration(clampingSeconds: record.totalSeconds ?? 0).compactText
    switch record.outcome {
    case .failed:
      say(
        "Line \(job.number) failed (\(record.endedBy ?? "not started"))"
          + "\(isTriedAgain ? " and is run again" : ""): \(job.title)")
      if let advice { say("Line \(job.number): \(advice)") }
    case .finished:
      let stints = record.stints == 1 ? "" : ", \(record.stints) stints"
      // On a terminal the total counts them; a log tells each.
      if !options.quiet { sayInLog("Line \(job.number) finished (\(time)\(stints)): \(job.title)") }
    case .unfinished, nil: break
    }
  }

  var printsRecords: Bool { options.json }

  /// Writes the record of a line's end to standard output, and calls back on the thread that
  /// writes: when it is there, or when nobody reads standard output any more.
  func printRecord(
    _ record: BatchRecord, isPrinted: @escaping @Sendable () -> Void,
    readerGone: @escaping @Sendable () -> Void
  ) {
    let text = record.textForOthers
    thread.enqueue {
      self.output(readerGone) {
        try StandardOutput().write(text)
        isPrinted()
      }
    }
  }

  var hasJobLog: Bool { jobLog != nil }

  /// Appends the record of a line's end to the job log, and calls back on any thread when it is
  /// there.
  func tellJobLog(_ record: BatchRecord, isWritten: @escaping @Sendable () -> Void) {
    switch form.jobLog {
    case .json: jobLog?.write({ record.textForOthers }, isWritten: isWritten)
    case .parallel: jobLog?.write({ record.rowOfParallel }, isWritten: isWritten)
    }
  }

  var isTagged: Bool { form.isTagged }

  /// Passes the output of a line on, each line of it behind a tag, and then removes the files that
  /// it was kept in, or gives them other names.
  func passOn(
    _ files: BatchOutput.Paths, keptAs kept: BatchOutput.Paths?, tag: String?,
    readerGone: @escaping @Sendable () -> Void
  ) {
    let descriptor = options.json ? STDERR_FILENO : STDOUT_FILENO
    thread.enqueue {
      self.display.end()
      // What nobody takes is no reason to fail.
      try? BatchOutput.copy(files.errors, to: STDERR_FILENO, tag: tag)
      BatchOutput.putAway(files.errors, as: kept?.errors)
      self.output(readerGone) {
        try BatchOutput.copy(files.output, to: descriptor, tag: tag)
        BatchOutput.putAway(files.output, as: kept?.output)
      }
    }
  }

  /// Copies the output of a line that has ended to the folder of results.
  func keepResult(_ files: BatchOutput.Paths, of job: BatchJob) {
    guard let folder = form.results else { return }
    thread.enqueue {
      do throws(StintError) {
        try BatchOutput.keep(files, of: job, in: folder)
      } catch {
        self.noteOutputError(error)
      }
    }
  }

  /// Writes a sentence that stays.
  func say(_ sentence: String) {
    thread.enqueue { [display] in display.say("stint: \(Sentence.of(sentence))") }
  }

  /// Writes a sentence that is not wanted by those who want quiet.
  func tell(_ sentence: String) {
    if !options.quiet { say(sentence) }
  }

  private func sayInLog(_ sentence: String) {
    thread.enqueue { [display, terminal] in
      if !terminal().showsLiveLine { display.say("stint: \(Sentence.of(sentence))") }
    }
  }

  // MARK: The display

  func show(_ rows: [BatchRow], _ total: BatchTotal, isTick: Bool, now: Instant) {
    guard !options.quiet else { return }
    let isDue = state.withLock { state in
      let isSoon = state.lastFrame.map { $0.duration(to: now) < Self.leastBetweenFrames } ?? false
      guard !state.hasFrame, isTick || !isSoon else { return false }
      state.hasFrame = true
      state.lastFrame = now
      return true
    }
    guard isDue else { return }
    thread.enqueue { self.draw(rows, total, now) }
  }

  private func draw(_ rows: [BatchRow], _ total: BatchTotal, _ now: Instant) {
    state.withLock { $0.hasFrame = false }
    display.show(
      at: now, isLong: launchedAt.duration(to: now) >= Self.silence,
      live: {
        BatchFrame.render(rows, total, columns: $0.columns, height: $0.rows, style: $0.style)
      },
      plain: { "stint: " + BatchFrame.words(total).joined(separator: ", ") })
  }

  /// Takes the display away, for a stop of the terminal or the end; waits until that is written,
  /// but not for a terminal that sleeps.
  func leaveTerminal() {
    thread.enqueue { [display] in display.end() }
    thread.flush(within: .milliseconds(500))
  }

  /// Waits until everything that was told before is written, or for so long.
  func flush(within limit: Duration) { thread.flush(within: limit) }

  /// Runs the body when everything that was told before is written.
  func afterwards(_ body: @escaping @Sendable () -> Void) {
    thread.enqueue { [display] in
      display.end()
      body()
    }
  }

  /// Writes to standard output; when its reader has gone, that is told.
  private func output(_ readerGone: () -> Void, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      let error = StintError(wrapping: error, while: "writing")
      if error.errno == EPIPE { return readerGone() }
      noteOutputError(error)
    }
  }

  private func noteOutputError(_ error: StintError) {
    let isFirst = state.withLock { state in
      defer { state.outputError = error }
      return state.outputError == nil
    }
    guard isFirst else { return }
    display.say("stint: \(Sentence.of(error))")
  }
}
