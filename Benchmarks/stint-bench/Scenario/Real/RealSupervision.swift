import Glibc
import Stint
import StintCore
import StintScenarios

/// Gives one worker one budget on the real clock: starts it, warns it, kills it when its time is
/// gone, and keeps the ledger.
///
/// It is the supervisor of `stint exec`, whose timer is on the boot-time clock and in this process.
struct RealSupervision {
  /// What was seen.
  struct Seen {
    var beganAt: Instant
    var ledger: [Sighting] = []
    var end = TripEnd.inOrder
    var endedAt: Nanoseconds = 0
    /// How a process ended that was not killed by its time.
    var outcome: SupervisorMachine.StintOutcome?
    /// For each change of a checkpoint file when it was seen, and the time that it holds.
    var changes: [(at: Nanoseconds, work: Nanoseconds)] = []
  }

  private struct State {
    var outcome: SupervisorMachine.StintOutcome?
    var endedAt: Instant?
    var warnedAt: Instant?
    var wasCut = false
    var changes: [(at: Instant, work: Duration)] = []
  }

  let signals: SignalDescriptor
  let preset: SystemPolicy?
  /// Whether the warning comes when the engine's would, as in virtual time for all but Stint, whose
  /// own lead it is else.
  let warnsAsDrawn: Bool
  /// Called at the deadline of a trip whose end is enforced later; must not block.
  var deadlinePassed: @Sendable () -> Void = {}

  /// Lives a trip that is not denied, whose clock began to run at the launch.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if nothing could be started.
  func live(
    _ plan: Trip, _ command: CommandSpecification, files: CommandFiles, launchedAt: Instant
  ) throws -> Seen {
    let state = Protected(State())
    let ledger = TaskLedger()
    let setup = setup(
      plan, command, files: files, channel: ledger.channel, launchedAt: launchedAt)
    let holder = Protected<CommandSupervisor?>(nil)
    var hooks = CommandSupervisor.Hooks()
    hooks.expiryAnnounced = { _, _, _ in
      state.withLock { $0.warnedAt = $0.warnedAt ?? BootClock.now }
    }
    hooks.checkpoint = { _, work in
      state.withLock { $0.changes.append((BootClock.now, work)) }
    }
    hooks.stintEnded = { outcome, _ in
      state.withLock { state in
        state.endedAt = BootClock.now
        state.outcome = outcome
      }
    }
    let deadlinePassed = deadlinePassed
    hooks.stintBegan = { _, _ in
      guard let supervisor = holder.withLock({ $0 }) else { return }
      if plan.enforced > plan.deadline {
        supervisor.loop.schedule(
          at: launchedAt.advanced(by: .nanoseconds(plan.deadline)), deadlinePassed)
      }
      Self.disturb(supervisor, plan, launchedAt: launchedAt) {
        state.withLock { $0.wasCut = true }
      }
    }
    let supervisor = try CommandSupervisor(setup: setup, signals: signals, hooks: hooks)
    holder.withLock { $0 = supervisor }
    let exit = supervisor.run()
    holder.withLock { $0 = nil }
    if exit == .signal(SIGINT) { Glibc.exit(128 + SIGINT) }
    return try seen(
      state.withLock { $0 }, ledger.entries, plan, command: command.name, launchedAt: launchedAt)
  }

  private func setup(
    _ plan: Trip, _ command: CommandSpecification, files: CommandFiles, channel: SocketChannel,
    launchedAt: Instant
  ) -> CommandSupervisor.Setup {
    let usual = warnsAsDrawn ? plan.warned.map { plan.grant - $0 } ?? 0 : plan.lead
    let lead = Duration.nanoseconds(max(1, plan.noticeLead ?? usual))
    var policy = SystemPolicy.commandLine.withBudget(.nanoseconds(plan.grant), lead: lead)
    if let preset {
      policy.terminationPoint = preset.terminationPoint
      policy.maximumTasks = preset.maximumTasks
    }
    let rules = SupervisorRules(style: .budget, stopLead: lead, stopGrace: lead)
    var setup = CommandSupervisor.Setup(
      command: command, rules: rules, policy: policy, launchedAt: launchedAt)
    setup.sources = BudgetSources(plan.announced.map { [FixedBudget(.nanoseconds($0))] } ?? [])
    setup.files = files
    setup.tick = .milliseconds(20)
    setup.channel = channel
    setup.enforcedLate = .nanoseconds(plan.enforced - plan.deadline)
    // Whom the scenario stops is to be stopped alone.
    setup.stopsWithCommand = false
    return setup
  }

  /// What the scenario has in store beside the planned end.
  private static func disturb(
    _ supervisor: CommandSupervisor, _ plan: Trip, launchedAt: Instant,
    cut: @escaping @Sendable () -> Void
  ) {
    func at(_ instant: Nanoseconds, _ body: @escaping @Sendable (CommandSupervisor) -> Void) {
      supervisor.loop.schedule(at: launchedAt.advanced(by: .nanoseconds(instant))) {
        [weak supervisor] in
        if let supervisor { body(supervisor) }
      }
    }
    if let stop = plan.standstill {
      // As a suspended machine does it: nothing of the family runs, and the boot-time clock goes
      // on.
      at(stop.at) { Self.signal($0, SIGSTOP) }
      at(stop.at + stop.length) { Self.signal($0, SIGCONT) }
    }
    if let notice = plan.notice, plan.announced != nil {
      at(notice) { $0.driver.revoke(.revoked) }
    } else if plan.announced == nil, let news = plan.notice ?? plan.warned {
      at(news) { $0.askToEnd(by: SIGTERM) }
    } else if plan.deadline < plan.grant || plan.announced == nil {
      at(plan.enforced) { supervisor in
        cut()
        Self.signal(supervisor, SIGKILL)
      }
    }
  }

  private static func signal(_ supervisor: CommandSupervisor, _ number: Int32) {
    if let process = supervisor.processID { kill(-process, number) }
  }

  private func seen(
    _ state: State, _ tasks: [(at: Instant, event: Sighting.Event)], _ plan: Trip,
    command: String, launchedAt: Instant
  ) throws -> Seen {
    guard let endedAt = state.endedAt else {
      throw StintError(.unavailable, "\(command) cannot be started.")
    }
    func since(_ instant: Instant) -> Nanoseconds { launchedAt.duration(to: instant).nanoseconds }
    var seen = Seen(beganAt: launchedAt)
    seen.endedAt = since(endedAt)
    seen.outcome = state.outcome
    switch state.outcome {
    case .killed: seen.end = plan.isForetold ? .killed : .gone
    case .crashed where state.wasCut: seen.end = .gone
    case .finished, .failed, .asksAgain, .leftUnfinished, .stoppedInTime, .crashed, .interrupted,
      .notRun, nil:
      seen.end = .inOrder
    }
    seen.ledger = tasks.map { Sighting(at: since($0.at), $0.event) }
    if tasks.isEmpty {
      // Who does not speak holds its time by being there.
      seen.ledger.append(Sighting(at: 0, .taskBegan(command)))
      if seen.end == .inOrder {
        seen.ledger.append(Sighting(at: seen.endedAt, .taskEnded(command)))
      }
    }
    if let warnedAt = state.warnedAt {
      seen.ledger.append(Sighting(at: since(warnedAt), .warned))
    }
    seen.ledger.sort { $0.at < $1.at }
    // Who reads at its end that it is being ended may be gone before the kill arrives; it was there
    // until then all the same.
    if seen.end == .inOrder, plan.isForetold, seen.endedAt >= plan.enforced,
      Self.hasOpenTask(seen.ledger, at: plan.enforced)
    {
      seen.end = .killed
    }
    seen.changes = state.changes.map { (since($0.at), $0.work.nanoseconds) }
    return seen
  }

  private static func hasOpenTask(_ ledger: [Sighting], at instant: Nanoseconds) -> Bool {
    let known = ledger.filter { $0.at < instant }
    var observation = Observation(trip: 0, deadline: instant, durableAtStart: 0)
    observation.sightings = known
    return !observation.openTasks.isEmpty
  }
}
