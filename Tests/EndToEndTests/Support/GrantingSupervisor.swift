import CStint
import Foundation
import Glibc
import Stint
import StintCore

/// A supervisor in the test's own process: it grants a program time over a socket and sends no
/// signal but the warning.
final class GrantingSupervisor {
  let driver: SystemDriver
  private let system: InProcessSystem
  private(set) var server: SystemServer?
  private let policy: SystemPolicy
  private let warned = Protected(0)
  private let spoken = Protected(false)
  private let needlesslyWarned = Protected(0)
  private let asked = Protected<SystemServer?>(nil)

  /// Prepares to grant each program so much time, or without an end.
  init(budget: Duration?, lead: Duration? = nil) throws {
    policy = budget.map { SystemPolicy.commandLine.withBudget($0, lead: lead) } ?? .commandLine
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { _ in }
    system = try InProcessSystem(policy: policy, hooks: hooks)
    driver = system.driver
    driver.launch(.foreground)
    driver.becomeActive()
  }

  deinit {
    server?.childEnded()
    // Its hooks hold it.
    asked.withLock { $0 = nil }
  }

  /// How often a program was warned that does not speak.
  var warnings: Int { warned.withLock { $0 } }

  /// Whether the program has spoken; a loaded machine may not have let it before its time was up.
  var hasSpoken: Bool { spoken.withLock { $0 } }

  /// How often a program that had been granted a task was warned by a signal all the same.
  var needlessWarnings: Int { needlesslyWarned.withLock { $0 } }

  /// Starts a program; its time begins now.
  func start(_ command: [String], in scratch: Scratch) throws -> StintProcess {
    var (own, childs) = (Int32(-1), Int32(-1))
    guard stint_socket_pair(&own, &childs) == 0 else { throw POSIXError(.EMFILE) }
    defer { close(childs) }
    var hooks = SystemServer.Hooks()
    let running = Protected<pid_t>(0)
    let (driver, warned, spoken, asked) = (driver, warned, spoken, asked)
    let needlesslyWarned = needlesslyWarned
    hooks.spoke = { spoken.withLock { $0 = true } }
    hooks.warn = { _, _ in
      warned.withLock { $0 += 1 }
      // It may say its first words while it is being warned; with a task it has heard the answer to
      // them.
      let hasTask = driver.openTasks.contains { $0.name != "program" }
      // One that hung up is on its way out, and warned like one that never spoke.
      if hasTask, asked.withLock({ $0?.phase == .speaking }) {
        needlesslyWarned.withLock { $0 += 1 }
      }
      let pid = running.withLock { $0 }
      if pid > 0 { kill(pid, SIGTERM) }
    }
    let server = SystemServer(
      driver: driver, name: "program",
      transport: try SocketTransport(descriptor: own, name: "test-server"), hooks: hooks)
    self.server = server
    asked.withLock { $0 = server }
    server.start()
    var variables = ["STINT_SYSTEM_FD": "9", "STINT_SYSTEM_PID": "\(getpid())"]
    if policy.grant != nil {
      driver.resignActive()
      driver.enterBackground()
      if let end = driver.view.trip?.deadline {
        variables["STINT_DEADLINE"] = "\(end.nanoseconds)"
      }
    }
    let process = try StintProcess(command, in: scratch, environment: variables, kept: childs)
    running.withLock { $0 = process.pid }
    return process
  }

  /// Runs a program again and again, each time with a new budget, until it does not ask to be run
  /// again; with a longer one if the last held no step (W13).
  ///
  static func runUntilDone(
    _ command: [String], in scratch: Scratch, budget: Duration, lead: Duration? = nil
  ) async throws -> Stints {
    var (stints, budget) = (Stints(), budget)
    while true {
      let supervisor = try GrantingSupervisor(budget: budget, lead: lead)
      let run = try await supervisor.start(command, in: scratch).wait()
      supervisor.server?.childEnded()
      stints.runs += 1
      stints.spoken += supervisor.hasSpoken ? 1 : 0
      stints.warnings += supervisor.warnings
      stints.needlessWarnings += supervisor.needlessWarnings
      stints.last = run
      // On a busy machine a program may be warned before it has got as far as to listen.
      let wasWarnedTooEarly = run.end == .signalled(SIGTERM) && supervisor.warnings > 0
      let isForWantOfTime = run.end.isForWantOfTime(run.errors)
      if run.end != .exited(75), !wasWarnedTooEarly, !isForWantOfTime { return stints }
      if stints.runs == 60 { return stints }
      if isForWantOfTime { budget = budget * 3 / 2 }
    }
  }

  /// What became of a program that was run again and again.
  struct Stints {
    /// How often it was run.
    var runs = 0
    /// In how many of the runs it spoke.
    var spoken = 0
    /// How often it was warned by a signal, and how often although it spoke.
    var (warnings, needlessWarnings) = (0, 0)
    /// Its last run.
    var last: FinishedProcess?
  }
}
