import Foundation
import Glibc

/// Faults that strace(1) injects into the system calls of a program and of all its threads.
enum Strace {
  static let path = "/usr/bin/strace"

  /// Whether strace is there and may trace: neither is certain in a container.
  static let mayTrace: Bool = {
    guard FileManager.default.isExecutableFile(atPath: path), let scratch = try? Scratch(),
      let run = try? StintProcess([path, "-f", "-o", "/dev/null", "/bin/true"], in: scratch)
    else { return false }
    while !run.hasEnded { usleep(2_000) }
    return run.finished?.end == .exited(0)
  }()

  /// Why a test is skipped where it may not.
  static let reason: String = "strace is not there, or may not trace here"

  /// The system calls that are younger than Linux 5.3, by their numbers.
  ///
  /// New calls get the next number. The last one of 5.3 that Stint needs is `pidfd_open`, 434;
  /// `clone3`, which came with it, is among these. With a question mark strace accepts a call that
  /// it does not know.
  static let laterCalls: String = (435...520).map { "?\($0)" }.joined(separator: ",")

  /// The words before a program's own.
  static func words(_ fault: String, at files: [String], log: String) -> [String] {
    let call = fault.prefix { $0 != ":" }
    return [path, "-f", "-qq", "-o", log] + files.flatMap { ["-P", $0] }
      + ["-e", "trace=\(call)", "-e", "inject=\(fault)"]
  }
}

extension Scratch {
  /// Starts `stint` with a fault in its system calls on some files.
  ///
  /// - Parameters:
  ///   - arguments: What `stint` is started with.
  ///   - fault: The call and what becomes of it, as `fdatasync:error=EIO:when=1+`.
  ///   - files: The names of the files, below this directory, that the calls are about.
  /// - Returns: strace, which ends as the program does.
  /// - Throws: `POSIXError` if it cannot be started.
  func start(
    _ arguments: [String], with fault: String, at files: [String]
  ) throws -> StintProcess {
    let words = Strace.words(fault, at: files.map(callAsFunction), log: self("strace"))
    return try StintProcess(words + [Programs.stint()] + arguments, in: self)
  }
}
