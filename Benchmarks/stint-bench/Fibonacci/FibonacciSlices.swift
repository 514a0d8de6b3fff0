import Foundation
import StintCore

/// One number by many processes, each with a short budget and killed at its end.
struct FibonacciSlices {
  /// What it took in all.
  struct Result {
    /// How many processes there were.
    var processes: Int
    /// How many of them had to be killed, because they were still there when their time was up.
    var killed: Int
    /// From each one's start to its end, added up.
    var seconds: Double
  }

  let stint: String
  let n: Int
  let threads: Int
  let slice: Duration
  let directory: String

  /// So many processes are more than any number needs that is benchmarked.
  private static let most = 400

  /// Runs process after process until the result is there.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if one fails.
  func run() throws -> Result {
    let place = directory + "/slices"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: place) }
    var result = Result(processes: 0, killed: 0, seconds: 0)
    let words = [
      "run", "fibonacci", "\(n)", "--output", place + "/digits", "--jobs-dir", place + "/jobs",
      "--threads", "\(threads)", "--budget", slice.compactText, "--quiet",
    ]
    while result.processes < Self.most {
      let files = (standard: place + "/output", error: place + "/errors")
      let process = try ChildProcess(stint, words, output: files)
      let (end, at) = process.wait(killingAt: process.startedAt.advanced(by: slice))
      result.processes += 1
      result.seconds += process.startedAt.duration(to: at).inSeconds
      switch end {
      case .exited(0): return result
      case .exited(75): break
      case .killed(by: SIGKILL): result.killed += 1
      case .exited, .killed:
        let errors = (try? String(contentsOfFile: files.error, encoding: .utf8)) ?? ""
        throw StintError(
          .unavailable,
          "stint run fibonacci \(n) in slices of \(slice.compactText) ended with \(end): "
            + errors.suffix(300))
      }
    }
    throw StintError(
      .unavailable,
      "F(\(n)) was not done after \(Self.most) slices of \(slice.compactText).")
  }
}
