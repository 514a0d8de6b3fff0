import CStint
import Glibc
import StintCore

extension CommandSupervisor {
  func perform(_ action: SupervisorMachine.Action) {
    switch action {
    case .start: start()
    // Suspended, it is continued for its own reasons alone.
    case .signal(SupervisorRules.goOn) where standsStill: break
    case .signal(let number): signal(number)
    case .freeze: freeze()
    case .thaw(let withGrant): thaw(withGrant: withGrant)
    case .killAll: killAll()
    case .requestStop(let number, let grace):
      state.withLock { $0.mustLeaveNothing = true }
      let known = setup.takesGraceOfSources ? setup.sources.stopGrace ?? .zero : .zero
      let grace = grace.map { max($0, known) } ?? Self.forEver
      driver.requestStop(reason: .signal(number), grace: grace)
    case .wake(let instant): setWake(at: instant)
    case .endStint(let outcome): endStint(outcome)
    case .rest(let duration):
      loop.schedule(at: BootClock.now.advanced(by: duration)) {
        self.setup.beforeNextStint { self.loop.post { self.restEnded() } }
      }
    case .stopSelf(let wholeGroup): stopSelf(wholeGroup: wholeGroup)
    case .say(let message): hooks.say(message)
    case .leave(let exit):
      state.withLock { $0.exit = $0.exit ?? exit }
      loop.end()
    }
  }

  /// How long processes that were killed may take to end.
  private static let killedMayTake = Duration.milliseconds(500)
  /// The time that a process has which nobody ends.
  private static let forEver = Duration.nanoseconds(Int64.max)

  private var process: CommandProcess? { state.withLock { $0.process } }

  /// Whether the command was suspended and has stopped itself.
  var standsStill: Bool { setup.channel?.standsStill ?? false }

  // MARK: Beginning and ending

  private func start() {
    let isFirst = state.withLock { state in
      state.stints += 1
      state.hasEnded = false
      state.isSweeping = false
      state.mustLeaveNothing = false
      state.stalledFor = .zero
      state.lastLookedAt = nil
      (state.wasTold, state.heard) = (false, false)
      (state.hadNoRanks, state.ranksEnd) = (false, nil)
      state.isLookingLast = false
      return state.stints == 1
    }
    lookBeforeStart()
    let began = isFirst ? setup.launchedAt : BootClock.now
    let grant = enterTrip(since: began)
    var command = setup.command
    let told = grant.map { max(.zero, $0 - setup.untoldTail) }
    command.tell(
      deadline: told.map { began.advanced(by: $0) }, budget: told,
      stint: setup.earlierStints + state.withLock { $0.stints })
    if let offered = setup.channel?.open(for: self) { command.offer(offered) }
    command.leadsGroup = !setup.rules.isForeground
    command.terminal = terminal?.descriptorToGive
    command.cgroup = freezer?.directory
    let result = spawn(command)
    setup.channel?.started(processID: try? result.get())
    switch result {
    case .success(let processID):
      if command.terminal != nil { terminal?.wasGiven(to: processID) }
      let now = BootClock.now
      state.withLock { state in
        state.process = CommandProcess(
          processID: processID, leadsGroup: command.leadsGroup)
        state.stintBegan = now
        state.unsavedSince = now
      }
      hooks.stintBegan(grant, driver.tripEnd)
    case .failure(let failure):
      handle { $0.startFailed(failure, now: $1) }
    }
  }

  /// Starts the process; where its cgroup cannot be entered, without one.
  private func spawn(_ command: CommandSpecification) -> Result<Int32, CommandStartFailure> {
    // Children inherit the length of a turn, and theirs is not this thread's.
    if state.withLock({ $0.isPrompt }) { _ = stint_slice_set(0) }
    var result = command.start()
    if case .failure(let failure) = result, failure.stage == .cgroup {
      var command = command
      command.cgroup = nil
      result = command.start()
    }
    let isPrompt = stint_slice_set(Int64(STINT_PROMPT_SLICE_NS)) == 0
    state.withLock { $0.isPrompt = isPrompt }
    return result
  }

  /// Holds a task for the command, and lets its time begin if there is an end to it.
  @discardableResult
  private func enterTrip(since start: Instant, isLimited: Bool = true) -> Duration? {
    if driver.lifeState == .suspended || driver.lifeState == .background {
      driver.enterForeground()
      driver.becomeActive()
    }
    let (grant, _) = driver.begin(
      named: setup.command.name, origin: .here(),
      handler: .direct { [weak self] expiry in self?.expired(expiry) })
    let end = isLimited ? setup.sources.end(ofTripSince: start) : nil
    state.withLock { state in
      state.task = grant.identifier
      state.tripEnd = end?.instant ?? .distantFuture
    }
    guard isLimited, end != nil || setup.sources.mayChange else { return nil }
    driver.resignActive()
    driver.enterBackground(since: start, until: end)
    follower.tripBegan(at: start, end: end, of: self)
    return end.map { max(.zero, start.duration(to: $0.instant)) }
  }

  private func expired(_ expiry: Expiry) {
    state.withLock { $0.mustLeaveNothing = true }
    handle { $0.expired(expiry.reason, deadline: expiry.deadline, now: $1) }
  }

  private func endStint(_ outcome: SupervisorMachine.StintOutcome) {
    let now = BootClock.now
    let (process, task, mustLeaveNothing, unsaved) = state.withLock { state in
      let unsaved = state.process == nil ? .zero : state.unsavedSince.duration(to: now)
      return (state.process.take(), state.task.take(), state.mustLeaveNothing, unsaved)
    }
    if let process {
      // Where `/proc` shows nothing, the group is all that can be reached.
      if mustLeaveNothing, !setup.rules.isForeground { process.signal(SIGKILL) }
      setup.channel?.ended()
      // What waits for a device even after SIGKILL is not waited for.
      if process.end() != nil { process.reap() }
      if mustLeaveNothing, !setup.rules.isForeground, !OwnChildren.canBeListed,
        OwnChildren.remain(after: Self.killedMayTake)
      {
        hooks.familyIsHidden()
      }
    }
    if let task { driver.end(task, origin: .here(), quietly: true) }
    driver.idle()
    if process != nil { hooks.stintEnded(outcome, unsaved) }
  }

  private func restEnded() {
    let hasTime =
      setup.sources.grant(ofTripSince: BootClock.now).map { $0 > setup.policy.lead } ?? true
    handle { $0.restEnded(hasTime: hasTime, now: $1) }
  }

  // MARK: Signals to the command

  private func signal(_ number: Int32) {
    let rules = setup.rules
    let mustBeHeard =
      rules.asksToEnd(number) || number == rules.stopSignal || number == rules.warnSignal
    guard let process else { return }
    if mustBeHeard, rules.style == .budget {
      // A signal that is ignored cannot be why it ends; that of ranks is not known.
      let isHeard = setup.launcher != .none || !process.ignores(number)
      state.withLock { state in
        state.wasTold = true
        state.heard = state.heard || isHeard
      }
    }
    if setup.launcher != .none { return signalRanks(number, of: process, mustBeHeard: mustBeHeard) }
    process.signal(
      number, continues: mustBeHeard && number != SIGKILL, toLeaderOnly: rules.signalsLeaderOnly)
  }

  private func killAll() {
    state.withLock { $0.isSweeping = true }
    if setup.launcher != .none, killRanks() { return loop.post { self.sweep() } }
    if !setup.rules.isForeground { freezer?.killAll() }
    process?.killAll()
    loop.post { self.sweep() }
  }

  /// Kills what has come to this process since the last time, and says when nothing is left.
  func sweep() {
    let (process, isSweeping, hasEnded) = state.withLock {
      ($0.process, $0.isSweeping && $0.ranksEnd.map { BootClock.now >= $0 } ?? true, $0.hasEnded)
    }
    guard let process, hasEnded else { return }
    if isSweeping { process.killAll() }
    guard !process.hasFamily() else { return }
    // What it left behind may have saved since; what was killed has not.
    guard state.withLock({ $0.machine.phase }) == .emptying else {
      return handle { $0.familyEnded(now: $1) }
    }
    if state.withLock({ exchange(&$0.isLookingLast, with: true) }) { return }
    afterLastLook { [self] in
      let evidence = evidence
      handle { $0.familyEnded(evidence: evidence, now: $1) }
    }
  }

  private func freeze() {
    guard let process else { return }
    if !(freezer?.setFrozen(true) ?? false) { process.signal(SIGSTOP) }
    // Its keys would reach nobody now.
    terminal?.takeBack()
    let now = BootClock.now
    let unsaved = state.withLock { $0.unsavedSince.duration(to: now) }
    hooks.stintEnded(nil, unsaved)
  }

  private func thaw(withGrant: Bool) {
    guard let process else { return }
    state.withLock { state in
      state.mustLeaveNothing = false
      if withGrant { state.stints += 1 }
      state.stintBegan = BootClock.now
      state.unsavedSince = state.stintBegan
    }
    let grant = enterTrip(since: BootClock.now, isLimited: withGrant)
    if terminal?.descriptorToGive != nil { terminal?.give(to: process.processID) }
    _ = freezer?.setFrozen(false)
    process.signal(SIGCONT)
    if withGrant { hooks.stintBegan(grant, driver.tripEnd) }
  }

  private func setWake(at instant: Instant?) {
    let due = instant == .distantFuture ? nil : instant
    let token = due.map { due in
      loop.schedule(at: due) { self.handle { $0.timePassed(now: $1) } }
    }
    if let old = state.withLock({ exchange(&$0.wake, with: token) }) { loop.cancel(old) }
  }

  // MARK: Signals to the supervisor

  func takeSignals() {
    var childrenChanged = false
    while let arrival = signals.next() {
      // In the foreground a terminal's keys reach the whole group, the command included. The
      // command's own doing, as a shell's `kill 0` is, needs no echo.
      let reachedCommand = setup.rules.isForeground && arrival.isFromKernel
      switch arrival.number {
      case SIGCHLD: childrenChanged = true
      case SIGCONT: goOn()
      case SIGTSTP:
        // The command may stand still already, and is not to go on then.
        if exchange(&childrenChanged, with: false) { lookAtChildren() }
        handle { $0.stopAsked(reachedCommand: reachedCommand, now: $1) }
      // The processor time of this process, of which the command knows nothing; it has its own.
      case SIGXCPU where arrival.isFromKernel: break
      case let number: signalCame(number, reachedCommand: reachedCommand)
      }
    }
    if childrenChanged { lookAtChildren() }
  }

  func signalCame(_ number: Int32, reachedCommand: Bool) {
    if !setup.rules.asksToEnd(number) { hooks.passedOn(number) }
    // News of the conversation may still be on its way to this thread.
    hearCommand()
    handle { $0.signalCame(number, reachedCommand: reachedCommand, now: $1) }
  }

  private func goOn() {
    guard !standsStill else { return }
    continueCommand()
  }

  /// Continues the command's process in its own time.
  func continueCommand() {
    guard let process else { return }
    // Moved to the foreground of its terminal by a shell.
    let phase = state.withLock { $0.machine.phase }
    guard phase == .running || phase == .expiring else { return }
    if terminal?.descriptorToGive != nil { terminal?.give(to: process.processID) }
    process.signal(SIGCONT)
  }

  private func lookAtChildren() {
    let (process, hasEnded) = state.withLock { ($0.process, $0.hasEnded) }
    guard let process else { return }
    if hasEnded { return sweep() }
    guard let found = process.end() else {
      process.reapOrphans()
      switch process.halt() {
      case .stopped(let signal):
        if signal == SIGSTOP { setup.channel?.stopped(true) }
        if let terminal, setup.stopsWithCommand { stopped(by: signal, process, terminal) }
      case .continued: setup.channel?.stopped(false)
      case nil: break
      }
      return
    }
    let hadNoRanks = state.withLock { state in
      state.hasEnded = true
      return state.hadNoRanks
    }
    leaveRest()
    // It says that it failed, but nothing of it had begun.
    let end = hadNoRanks ? .signalled(SIGTERM, dumpedCore: false) : found
    let died = if case .signalled = end { true } else { false }
    terminal?.takeBack(restoringModes: died)
    afterLastLook { [self] in
      // In its own time it may leave behind what it likes, so that is not looked for.
      let familyRemains =
        state.withLock { $0.mustLeaveNothing } && !setup.rules.isForeground && process.hasFamily()
      let evidence = evidence
      handle {
        $0.commandEnded(end, familyRemains: familyRemains, evidence: evidence, now: $1)
      }
    }
  }

  /// The command was stopped: it wants the terminal, or its keys have asked for that.
  private func stopped(
    by signal: Int32, _ process: CommandProcess, _ terminal: CommandTerminal
  ) {
    let wantsTerminal = signal == SIGTTIN || signal == SIGTTOU
    if wantsTerminal, terminal.give(to: process.processID) {
      process.signal(SIGCONT)
      return
    }
    let isOfKeys = terminal.foregroundGroup != nil && signal != SIGSTOP
    if isOfKeys || !isLimited { return handle { $0.commandStopped(now: $1) } }
    // Stopped too, this process would miss the end of the command's time, and nobody at the
    // terminal waits for that.
    terminal.takeBack()
    guard wantsTerminal else { return }
    let former = state.withLock { exchange(&$0.awaitingTerminal, with: process) }
    if former !== process { awaitTerminal(process, terminal) }
  }

  private var isLimited: Bool { driver.remainingTime != .unlimited || setup.sources.mayChange }

  /// Gives the terminal to a command that stands still for it, once it is this process's to give: a
  /// shell's `fg` tells that to a process only if it was stopped.
  private func awaitTerminal(_ process: CommandProcess, _ terminal: CommandTerminal) {
    loop.schedule(at: BootClock.now.advanced(by: .milliseconds(100))) { [weak self] in
      guard let self else { return }
      guard state.withLock({ $0.process === process && !$0.hasEnded }) else { return }
      guard terminal.give(to: process.processID) else { return awaitTerminal(process, terminal) }
      state.withLock { $0.awaitingTerminal = nil }
      process.signal(SIGCONT)
    }
  }

  private func stopSelf(wholeGroup: Bool) {
    let hadTerminal = terminal?.foregroundGroup != nil
    terminal?.takeBack()
    let start = BootClock.now
    _ = stint_stop_for_terminal(wholeGroup && terminal != nil ? 1 : 0)
    driver.continued(afterStop: start.duration(to: BootClock.now))
    if hadTerminal, let process { terminal?.give(to: process.processID) }
    handle { $0.continued(now: $1) }
  }
}

extension CommandSupervisor: BudgetClient {
  package func endMoved(
    to end: Deadline?, because reason: ExpiryReason, then moved: @escaping @Sendable () -> Void
  ) {
    loop.post {
      self.state.withLock { $0.tripEnd = end?.instant ?? .distantFuture }
      self.driver.moveDeadline(to: end, because: reason)
      moved()
    }
  }

  package func recordMovedEnd(_ end: Deadline?) { hooks.recordMovedEnd(end) }
}

extension CommandSupervisor: SystemObserver {
  /// Listens for an end that moved.
  package func systemDid(_ event: SystemEvent) {
    switch event {
    case .deadlineMoved(let deadline):
      handle { $0.deadlineMoved(to: deadline, now: $1) }
    case .deadlineExtended(let deadline):
      handle { $0.deadlineExtended(to: deadline, now: $1) }
    case .suspended:
      follower.tripEnded()
    case .answered, .expired, .stateChanged, .resumed, .becameActive, .stopCompleted,
      .terminating, .memoryIsShort, .refreshStatusChanged, .terminated:
      break
    }
  }
}
