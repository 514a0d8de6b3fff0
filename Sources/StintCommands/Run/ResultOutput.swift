import Glibc
import Stint
import StintCore

/// Puts a job's result where the command line wants it.
final class ResultOutput: Sendable {
  private let file: OutputFile
  private let job: LateBoundJob
  private let showsEnds: Bool
  private let terminal: TerminalState

  /// Describes where a result goes.
  ///
  /// - Parameters:
  ///   - file: The destination.
  ///   - showsEnds: Whether a long number is shown by its ends on a terminal.
  ///   - terminal: The state of standard output.
  init(file: OutputFile, showsEnds: Bool, terminal: TerminalState) {
    self.file = file
    self.showsEnds = showsEnds
    self.terminal = terminal
    job = LateBoundJob()
  }

  /// Where the result is found; nil for a stream.
  var path: String? { file.destination.path }

  /// Length and checksum of what was delivered.
  var published: OutputFile.Published? { file.published }

  /// Sets whose result it is and how its work time is asked for.
  func bind(_ job: Job, workTime: @escaping @Sendable () -> Duration) {
    self.job.bind(job, workTime)
  }

  /// Delivers a complete partial file and marks the job as finished, in that order (W9).
  func deliver(_ workspace: any Workspace, _ name: String) throws {
    if file.destination.path == nil, showsEnds, terminal.isTerminal,
      let summary = try longNumber(workspace, name)
    {
      writeToStandardOutput(summary)
      return
    }
    let published = try file.publish(partialFileNamed: name, in: workspace)
    guard let (job, workTime) = job.value else { return }
    if job.isMaterialized {
      job.record(
        .finished(
          sizeBytes: published.sizeBytes, checksum: published.checksum, workTime: workTime()),
        durably: true)
    }
  }

  /// The first and last digits of a long number, or nil if it is short enough to be shown whole.
  private func longNumber(_ workspace: any Workspace, _ name: String) throws -> String? {
    let partial = try workspace.partialFile(named: name)
    let digits = try partial.sizeBytes - 1
    guard LongNumberSummary.isLong(digits: digits) else { return nil }
    let ends = LongNumberSummary.digitsOfAnEnd
    let checksum = XXH3Checksum()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    for offset in stride(from: 0, to: digits, by: buffer.count) {
      try buffer.withUnsafeMutableBytes { bytes in
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(digits - offset))
        try partial.read(into: part, at: offset)
        checksum.update(UnsafeRawBufferPointer(part))
      }
    }
    func text(at offset: Int) throws -> String {
      var bytes = [UInt8](repeating: 0, count: ends)
      try bytes.withUnsafeMutableBytes { try partial.read(into: $0, at: offset) }
      return String(decoding: bytes, as: UTF8.self)
    }
    return LongNumberSummary(
      first: try text(at: 0), last: try text(at: digits - ends), digits: digits,
      checksum: "XXH3-128 \(checksum.value)"
    ).render(width: terminal.columns, style: terminal.style)
  }
}

/// The job whose result is delivered; it is made after its output.
private final class LateBoundJob: Sendable {
  private let slot = Protected<(Job, @Sendable () -> Duration)?>(nil)

  var value: (Job, @Sendable () -> Duration)? { slot.withLock { $0 } }

  func bind(_ job: Job, _ workTime: @escaping @Sendable () -> Duration) {
    slot.withLock { $0 = (job, workTime) }
  }
}

/// Writes all of a text to standard output.
package func writeToStandardOutput(_ text: String) {
  var text = text
  try? text.withUTF8 { bytes in
    try OutputFile.write(
      UnsafeRawBufferPointer(bytes),
      to: OpenFile(descriptor: STDOUT_FILENO, path: "the standard output"))
  }
}
