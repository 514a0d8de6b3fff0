import Glibc
import StintCore
import StintRuntime
import StintTesting

@testable import StintCommands

/// The processes of a batch's lines in virtual time: each has so much work, saves it when its
/// budget ends, and goes on.
final class ScriptedRunner: BatchRunner {
  /// What the process of a line does.
  struct Script: Sendable {
    /// The work that it has, over all its processes.
    var work: Duration
    /// The status that it ends with when its work is done.
    var status: Int32 = 0
    /// Whether it goes on past its budget, as a program that is stuck does.
    var isStuck = false
    /// How long the kernel takes to clear away its process when it is killed.
    var reaping = Duration.zero
    /// Whether its time ends it with nothing saved.
    var isCut = false
  }

  /// A process that was started.
  struct Run: Sendable {
    var line: Int
    var arguments: [String]
    var startedAt: Instant
    var endedAt: Instant?
    var isStopped = false
    let end: @Sendable (BatchExit) -> Void
  }

  struct State {
    var scripts: [Int: Script]
    var runs: [Run] = []
    var signals: [(signal: Int32, lines: [Int])] = []
    var mostAtOnce = 0
  }

  let state: Protected<State>
  private let driver: SystemDriver

  init(_ scripts: [Int: Script], on driver: SystemDriver) {
    self.driver = driver
    state = Protected(State(scripts: scripts))
  }

  /// The budget that a process was given.
  static func budget(of run: Run) -> Duration? {
    run.arguments.firstIndex(of: "--budget").flatMap { try? Duration(text: run.arguments[$0 + 1]) }
  }

  func start(
    _ launch: BatchLaunch, events: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping @Sendable (BatchExit) -> Void
  ) {
    let now = driver.environment.now
    let (number, script) = state.withLock { state in
      state.runs.append(
        Run(line: launch.line, arguments: launch.arguments, startedAt: now, end: end))
      state.mostAtOnce = max(state.mostAtOnce, state.runs.count { $0.endedAt == nil })
      return (state.runs.count - 1, state.scripts[launch.line] ?? Script(work: .zero))
    }
    let report = StatusReport(
      state: .running, progress: WorkProgress(fraction: 0.5, phase: ""), remaining: .unlimited)
    events(Array((ReportJSON.tick(report, stamp: .init(.current())) + "\n").utf8))
    guard !script.isStuck else { return }
    let budget = state.withLock { Self.budget(of: $0.runs[number]) }
    let time = min(script.work, budget.map { $0 - .milliseconds(50) } ?? script.work)
    driver.environment.schedule(at: now.advanced(by: time)) { self.end(number, after: time) }
  }

  private func end(_ number: Int, after time: Duration) {
    let now = driver.environment.now
    let run = state.withLock { state -> (Run, BatchExit)? in
      guard state.runs[number].endedAt == nil, !state.runs[number].isStopped else { return nil }
      state.runs[number].endedAt = now
      let line = state.runs[number].line
      let left = (state.scripts[line]?.work ?? .zero) - time
      state.scripts[line]?.work = left
      let script = state.scripts[line] ?? Script(work: .zero)
      let isDone = left <= .zero || script.isCut
      return (state.runs[number], .exited(isDone ? script.status : 75))
    }
    if let (run, exit) = run { run.end(exit) }
  }

  func send(_ signal: Int32, to lines: [Int]) {
    let now = driver.environment.now
    let told = state.withLock { state in
      state.signals.append((signal, lines))
      for index in state.runs.indices where lines.contains(state.runs[index].line) {
        if signal == SIGCONT { state.runs[index].isStopped = false }
      }
      return state.runs.indices.filter {
        lines.contains(state.runs[$0].line) && state.runs[$0].endedAt == nil
      }
    }
    for number in told {
      // It saves and ends, or goes on for a while where it was stopped.
      let delay = signal == SIGTERM ? Duration.milliseconds(20) : .seconds(5)
      driver.environment.schedule(at: now.advanced(by: delay)) { self.end(number, after: delay) }
    }
  }

  private func kill(_ lines: [Int]) {
    let now = driver.environment.now
    let killed = state.withLock { state in
      state.runs.indices.filter {
        lines.contains(state.runs[$0].line) && state.runs[$0].endedAt == nil
      }.map { index in
        state.runs[index].endedAt = now
        return (state.runs[index], state.scripts[state.runs[index].line]?.reaping ?? .zero)
      }
    }
    for (run, reaping) in killed {
      if reaping == .zero {
        run.end(.signalled(SIGKILL))
      } else {
        driver.environment.schedule(at: now.advanced(by: reaping)) { run.end(.signalled(SIGKILL)) }
      }
    }
  }

  func kill(_ lines: [Int]?, done: @escaping @Sendable () -> Void) {
    if let lines { kill(lines) }
    done()
  }

  func stopAll(by limit: Instant, done: @escaping @Sendable () -> Void) {
    state.withLock { state in
      for index in state.runs.indices where state.runs[index].endedAt == nil {
        state.runs[index].isStopped = true
      }
    }
    driver.environment.schedule(at: driver.environment.now.advanced(by: .milliseconds(30)), done)
  }
}

/// The lane of a session in virtual time.
final class VirtualBatchLane: Lane {
  private let driver: SystemDriver
  init(_ driver: SystemDriver) { self.driver = driver }
  func enqueue(_ body: @escaping @Sendable () -> Void) { driver.environment.onSystemThread(body) }
}
