import Foundation
import Glibc
import StintCore

/// One run of a program, from its start to its end, with what it used.
struct CommandRun {
  let command: ProgramCommand
  let end: ChildProcess.End
  /// From the start to the end, in seconds.
  let seconds: Double
  /// What it computed on all processors, in its own code and in the kernel, in seconds.
  let processorSeconds: Double
  /// The most memory that it had resident, in MiB; mapped files count.
  let peakMebibytes: Double
  /// Whether the peak is the program's own.
  ///
  /// Linux counts what was resident before `execve` as well, which is this process's memory: the
  /// kernel tells no less than that.
  let isPeakKnown: Bool
  /// What it wrote to standard output.
  let output: String
  /// What it wrote to standard error.
  let errors: String

  /// Runs a program to its end; the folder of logs keeps its output until the next run.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if it cannot be started.
  init(_ command: ProgramCommand, logs: String) throws {
    let files = (standard: logs + "/standard-output", error: logs + "/standard-error")
    let process = try ChildProcess(
      command.program, command.arguments, variables: command.variables, output: files)
    let (end, at, usage) = process.wait()
    self.command = command
    self.end = end
    seconds = process.startedAt.duration(to: at).inSeconds
    // By their places: of which module the members are depends on how the program is linked.
    func inSeconds(_ time: timeval) -> Double {
      withUnsafeBytes(of: time) { bytes in
        Double(bytes.load(as: Int.self))
          + Double(bytes.load(fromByteOffset: 8, as: Int.self)) / 1e6
      }
    }
    processorSeconds = inSeconds(usage.ru_utime) + inSeconds(usage.ru_stime)
    peakMebibytes = Double(usage.ru_maxrss) / 1024
    var own = rusage()
    getrusage(RUSAGE_SELF.rawValue, &own)
    isPeakKnown = usage.ru_maxrss > own.ru_maxrss
    func text(_ path: String) -> String {
      ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    output = text(files.standard)
    errors = text(files.error)
  }

  /// Stops everything if the program did not exit with 0.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` and what the program said.
  func expectSuccess() throws {
    guard end != .exited(0) else { return }
    let ending =
      switch end {
      case .exited(let status): "ended with \(status)"
      case .killed(let signal): "was ended by signal \(signal)"
      }
    let words = ([command.program] + command.arguments).joined(separator: " ")
    throw StintError(.unavailable, "\(words) \(ending): \(errors.suffix(600))")
  }
}
