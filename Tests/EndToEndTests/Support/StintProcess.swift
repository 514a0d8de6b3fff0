import Foundation
import Glibc

/// A program that runs in a scratch directory, in a process group of its own, with its output in
/// files.
///
/// It is killed when nobody holds it any more. The dispositions and the mask of signals are those
/// of a login shell, whatever the test runner's threads have.
final class StintProcess {
  let pid: pid_t
  private let scratch: Scratch
  private let outputName: String
  private let errorName: String
  private let startedAt = ContinuousClock.now
  /// How it ended; nil while nobody has seen it end.
  private(set) var finished: FinishedProcess?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program's path and its arguments.
  ///   - scratch: The working directory.
  ///   - output: What stands for standard output; nil for a file that is read at the end.
  ///   - errors: What stands for standard error; nil for a file that is read at the end.
  ///   - environment: Variables beside the few that every program gets.
  ///   - terminal: The path of a terminal that becomes all three descriptors and controls a new
  ///     session.
  ///   - kept: A descriptor of the test's that the program has under the number 9.
  /// - Throws: `POSIXError` if it cannot be started.
  init(
    _ command: [String], in scratch: Scratch, output: String? = nil,
    errors: String? = nil, environment: [String: String] = [:], terminal: String? = nil,
    kept: Int32? = nil
  ) throws {
    let number = scratch.names(in: ".").count { $0.hasPrefix("stderr-") }
    outputName = "stdout-\(number)"
    errorName = "stderr-\(number)"
    self.scratch = scratch
    let setup = SpawnSetup()
    setup.resetSignals(ownSession: terminal != nil)
    if let terminal {
      setup.open(terminal, as: 0, flags: O_RDWR)
      setup.duplicate(0, as: 1)
      setup.duplicate(0, as: 2)
    } else {
      setup.open("/dev/null", as: 0, flags: O_RDONLY)
      setup.open(output ?? scratch(outputName), as: 1, flags: O_WRONLY | O_CREAT)
      setup.open(errors ?? scratch(errorName), as: 2, flags: O_WRONLY | O_CREAT)
    }
    if let kept { setup.duplicate(kept, as: 9) }
    setup.closeOthers(but: kept == nil ? nil : 9)
    var variables = [
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
      "HOME": scratch.path, "STINT_JOBS": scratch.jobs, "TZ": "UTC",
    ]
    variables["STINT"] = try Programs.stint()
    variables.merge(environment) { $1 }
    pid = try setup.spawn(
      command, in: scratch.path, environment: variables.map { "\($0)=\($1)" })
  }

  deinit {
    guard finished == nil else { return }
    kill(-pid, SIGKILL)
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// Sends a signal to the process alone.
  func send(_ number: Int32) { kill(pid, number) }

  /// Sends a signal to its group, as a terminal does.
  func sendToGroup(_ number: Int32) { kill(-pid, number) }

  /// What it has written to standard error so far.
  var errorsSoFar: String { scratch.text(errorName) }

  /// The state letter of the kernel, `T` for stopped; nil once it is gone.
  var state: Character? { Self.state(of: pid) }

  static func state(of pid: pid_t) -> Character? { stateLetter(ofStatAt: "/proc/\(pid)/stat") }

  static func stateLetter(ofStatAt path: String) -> Character? {
    guard let stat = try? String(contentsOfFile: path, encoding: .utf8),
      let parenthesis = stat.lastIndex(of: ")")
    else { return nil }
    return stat[parenthesis...].dropFirst(2).first
  }

  /// Whether it has ended.
  var hasEnded: Bool {
    if finished == nil { reap() }
    return finished != nil
  }

  /// Waits for its end.
  ///
  /// - Throws: ``TimedOut``, having killed it.
  func wait(atMost limit: Duration = .seconds(30)) async throws -> FinishedProcess {
    do {
      try await waitUntil("the end of process \(pid)", atMost: limit) { hasEnded }
    } catch {
      sendToGroup(SIGKILL)
      throw TimedOut(what: "the end of a process that said: \(errorsSoFar.suffix(600))")
    }
    return finished ?? FinishedProcess(end: .exited(-1))
  }

  /// Waits until a condition holds, or until the process has ended.
  func wait(
    until what: String, atMost limit: Duration = .seconds(20), _ condition: () throws -> Bool
  ) async throws {
    try await waitUntil(what, atMost: limit) { try hasEnded || condition() }
  }

  private func reap() {
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(pid, &status, WNOHANG, &usage) == pid else { return }
    finished = FinishedProcess(
      end: ProcessEnd(waitStatus: status), took: ContinuousClock.now - startedAt,
      processorTime: Duration(usage.ru_utime) + Duration(usage.ru_stime),
      output: (try? scratch.bytes(outputName)) ?? Data(), errors: scratch.text(errorName))
  }
}

extension Duration {
  fileprivate init(_ time: timeval) {
    self = .seconds(time.tv_sec) + .microseconds(Int(time.tv_usec))
  }
}

extension Scratch {
  /// Starts `stint` with arguments; jobs live in this directory.
  func start(_ arguments: [String], output: String? = nil) throws -> StintProcess {
    try StintProcess([Programs.stint()] + arguments, in: self, output: output)
  }

  /// Runs `stint` to its end.
  func stint(_ arguments: String..., output: String? = nil) async throws -> FinishedProcess {
    try await start(arguments, output: output).wait()
  }

  /// Runs something to its end, and again where its time did not suffice to save anything (W13).
  ///
  /// `start` is told how often it was called before, so that it can give more time each time.
  func untilTimeSuffices(
    atMost limit: Duration = .seconds(60), _ start: (Int) throws -> StintProcess
  ) async throws -> FinishedProcess {
    for attempt in 0..<20 {
      let run = try await start(attempt).wait(atMost: limit)
      if !run.end.isForWantOfTime(run.errors) { return run }
    }
    throw TimedOut(what: "a run whose budget is enough")
  }

  /// Runs a shell script to its end; `$STINT` is the program.
  func shell(_ script: String, atMost limit: Duration = .seconds(30)) async throws
    -> FinishedProcess
  {
    try await StintProcess(["/bin/bash", "-c", script], in: self).wait(atMost: limit)
  }
}
