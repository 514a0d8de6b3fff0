import Glibc
package import StintCore
package import StintRuntime

/// Puts a job's result where the command line wants it.
package final class ResultOutput: Sendable {
  private struct State {
    var many: (any ManyResults)?
    /// A long number of which only the ends were shown.
    var shown: OutputFile.Published?
    /// Hears of the parts of the result while the work goes on.
    var events: EventLog?
  }

  private let file: OutputFile
  private let state = Protected(State())
  private let showsEnds: Bool
  private let terminal: TerminalState
  private let display: ProgressDisplay

  /// Describes where a result goes: a file, or a terminal, which the display must leave to it and
  /// where a long number may be shown by its ends.
  init(file: OutputFile, showsEnds: Bool, terminal: TerminalState, display: ProgressDisplay) {
    self.file = file
    self.showsEnds = showsEnds
    self.terminal = terminal
    self.display = display
  }

  /// Whether a program reads the result.
  var isPipe: Bool { file.destination.isPipe }

  /// Where the result is found; nil for a stream.
  var path: FilePath? { file.destination.path }

  /// Whether a part of the result has gone where nothing can be taken back, and not all of it.
  var isCut: Bool { file.isCut }

  /// Why the same command must not be run again: its output would begin with the first byte once
  /// more.
  ///
  /// In an isolated run each stint is a process of its own, which cannot write on.
  static func cut(_ why: String, isIsolated: Bool) -> StintError {
    StintError(
      .io,
      "\(why). Part of the result was already written to the pipe, and a new run would repeat it. "
        + "What was computed is saved: run it with --output FILE, or with --until-done "
        + "\(isIsolated ? "and without --isolated " : "")to keep writing until all of it is taken.")
  }

  /// Length and checksum of what was delivered.
  var published: OutputFile.Published? { many?.published ?? file.published }

  /// The account of many results; nil for work with one, and before its end.
  var many: (any ManyResults)? { state.withLock { $0.many } }

  /// Tells somebody of the parts of the result from now on.
  func tellParts(to events: EventLog?) {
    state.withLock { $0.events = events }
  }

  /// Delivers a complete partial file; the worker marks the job as finished after that (W9).
  package func deliver(_ workspace: any Workspace, _ name: String) throws {
    // The live line would stand in the middle of the result.
    if file.destination.isTerminal { display.leaveTerminal() }
    if file.destination.target == .descriptor(STDOUT_FILENO), showsEnds, terminal.isTerminal,
      let ends = try longNumber(workspace, name)
    {
      try StandardOutput().write(ends.text)
      state.withLock { $0.shown = ends.whole }
    } else {
      _ = try file.publish(partialFileNamed: name, in: workspace)
    }
  }

  /// Takes the account of many results, which stand in their folder already.
  package func deliver(_ many: any ManyResults) {
    state.withLock { $0.many = many }
  }

  /// What the journal of the job says of the end; nil for one too short to be kept.
  func finishRecord(of job: Job, workTime: Duration) -> JournalEvent? {
    guard job.isMaterialized, let result = published ?? state.withLock({ $0.shown })
    else { return nil }
    // This process did no work, so it has no work time.
    let before = many?.areOld == true ? job.history.finish?.workTime : nil
    return .finished(
      sizeBytes: result.sizeBytes, checksum: result.checksum, workTime: before ?? workTime)
  }

  /// Tells of a part of the result, with the members that are added, to whoever asked for events.
  package func tellPart(_ event: String, _ add: @escaping @Sendable (inout JSONLine) -> Void) {
    guard let events = state.withLock({ $0.events }) else { return }
    let stamp = JournalRecord.Stamp(.current())
    events.write { ReportJSON.line(event, stamp: stamp, add) + "\n" }
  }

  package func say(_ sentence: String) {
    display.complain(sentence)
  }

  /// The ends of a long number as text, and the whole of it as a file would have it; nil if it is
  /// short enough to be shown.
  private func longNumber(
    _ workspace: any Workspace, _ name: String
  ) throws -> (text: String, whole: OutputFile.Published)? {
    let partial = try workspace.partialFile(named: name)
    let sizeBytes = try partial.sizeBytes
    let digits = sizeBytes - 1
    guard LongNumberSummary.isLong(digits: digits) else { return nil }
    let ends = LongNumberSummary.digitsOfAnEnd
    let checksum = XXH3Checksum()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    // With the newline, so that it is the checksum of the file that --output would write.
    for offset in stride(from: 0, to: sizeBytes, by: buffer.count) {
      try buffer.withUnsafeMutableBytes { bytes in
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(sizeBytes - offset))
        try partial.read(into: part, at: offset)
        checksum.update(UnsafeRawBufferPointer(part))
      }
    }
    func text(at offset: Int) throws -> String {
      var bytes = [UInt8](repeating: 0, count: ends)
      try bytes.withUnsafeMutableBytes { try partial.read(into: $0, at: offset) }
      return String(decoding: bytes, as: UTF8.self)
    }
    let whole = OutputFile.Published(sizeBytes: sizeBytes, checksum: checksum.value.description)
    let summary = LongNumberSummary(
      first: try text(at: 0), last: try text(at: digits - ends), digits: digits,
      checksum: "XXH3-128 \(whole.checksum)")
    return (summary.render(width: terminal.columns, style: terminal.style), whole)
  }
}
