import Glibc
import StintCore
import StintFibonacci
import StintRuntime

/// A sequence without a budget into a pipe: the lines go out as they come, and nothing is kept.
///
/// What a reader has taken cannot be taken back, so there is nothing to resume: a signal ends the
/// process by its default action, and the next run begins with the first line.
struct SequenceStream {
  let range: FibonacciRange
  let options: RunOptions

  /// Writes all lines, then ends the process.
  ///
  /// - Throws: ``StintError`` if the output fails or a check does.
  func run() throws -> Never {
    let destination = try OutputDestination(options.output)
    let computation = FibonacciSequence(range) { _, _ in }
    let stream = try destination.openStream()
    OutputFile.widen(stream)
    for number in SignalWatch.watched { SignalWatch.restoreDefault(number) }
    do {
      _ = try computation.stream(into: { try stream.writeStream($0) }, stop: StopFlag())
    } catch let error as StintError where error.errno == EPIPE {
      SignalWatch.die(of: SIGPIPE)
    }
    exit(ExitStatus.finished)
  }
}
