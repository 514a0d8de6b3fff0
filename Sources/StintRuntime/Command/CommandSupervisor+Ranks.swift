import Glibc
import StintCore

// Signals to the ranks of a launcher (X8).

extension CommandSupervisor {
  /// Warns the ranks, or asks them to end, in the way in which their launcher passes it on.
  func signalRanks(_ number: Int32, of process: CommandProcess, mustBeHeard: Bool) {
    if number == SIGKILL, killRanks() { return }
    let launchers = setup.launcher.processes(ofCommand: process.processID)
    // A script may have no launcher running at this moment; then the signal is for the script.
    guard !launchers.isEmpty else {
      return process.signal(number, continues: mustBeHeard && number != SIGKILL)
    }
    switch setup.launcher {
    case .mpi where number == SIGTERM || number == SIGHUP:
      for launcher in launchers { kill(launcher, setup.rules.stopSignal) }
    case .srun where mustBeHeard && number != SIGUSR1 && number != SIGUSR2:
      askSteps(of: launchers, to: number, process)
    case .none, .srun, .mpi:
      for launcher in launchers { kill(launcher, number) }
    }
    if mustBeHeard { for launcher in launchers { kill(launcher, SIGCONT) } }
  }

  /// How long an `srun` may have no step before it is taken for one that waits for its nodes.
  private static let stepMayTake = Duration.seconds(1)
  /// How long to wait before Slurm is asked again, in milliseconds.
  private static let askAgainMilliseconds: Int32 = 200

  /// Sends a signal to the steps of some `srun`s, again and again while Slurm does not answer.
  private func askSteps(of launchers: [Int32], to number: Int32, _ process: CommandProcess) {
    let began = BootClock.now
    SerialThread(name: "stint-ranks").enqueue { [self] in
      while state.withLock({ $0.process === process && !$0.hasEnded }) {
        switch setup.reachRanks(launchers, number) {
        case .reached:
          return
        case .noRanks:
          guard began.duration(to: BootClock.now) >= Self.stepMayTake else { break }
          return loop.post { [self] in
            guard state.withLock({ $0.process === process && !$0.hasEnded }) else { return }
            state.withLock { $0.hadNoRanks = true }
            for launcher in launchers { kill(launcher, SIGTERM) }
          }
        case .silent:
          // TERM to srun would kill ranks that may be saving by themselves.
          hooks.ranksAreOutOfReach()
        }
        poll(nil, 0, Self.askAgainMilliseconds)
      }
    }
  }

  /// How long `srun` has for killing its ranks before it is killed itself, and its second process
  /// for the same after that.
  private static let (ranksMayTake, restMayTake) = (Duration.seconds(1), Duration.milliseconds(300))

  /// Lets each `srun` kill its ranks, then kills `srun` alone, then everything: SIGKILL to its
  /// group would also end the process that kills the ranks when `srun` has gone, and they would run
  /// on.
  ///
  /// Open MPI has an `srun` of its own for the other nodes, and is killed beside it.
  ///
  /// - Returns: Whether that is under way; else nothing is there that has ranks.
  func killRanks() -> Bool {
    let (process, hasEnded, ranksEnd) = state.withLock { ($0.process, $0.hasEnded, $0.ranksEnd) }
    guard let process else { return false }
    if let ranksEnd { return BootClock.now < ranksEnd }
    let steps =
      hasEnded ? [] : CommandLauncher.srun.processes(ofCommand: process.processID)
    guard !steps.isEmpty else { return false }
    let now = BootClock.now
    state.withLock { $0.ranksEnd = now.advanced(by: Self.ranksMayTake + Self.restMayTake) }
    for step in steps {
      kill(step, SIGTERM)
      kill(step, SIGCONT)
    }
    if setup.launcher == .mpi {
      for launcher in setup.launcher.processes(ofCommand: process.processID) {
        kill(launcher, SIGKILL)
      }
    }
    loop.schedule(at: now.advanced(by: Self.ranksMayTake)) { [weak self] in
      guard let self, state.withLock({ $0.process === process && !$0.hasEnded }) else { return }
      // Looked for again: a number may mean another process by now.
      for step in CommandLauncher.srun.processes(ofCommand: process.processID) {
        kill(step, SIGKILL)
      }
    }
    killRest(of: process, at: now.advanced(by: Self.ranksMayTake + Self.restMayTake))
    return true
  }

  /// Leaves the second process of an `srun` that was killed a moment for killing the ranks.
  func leaveRest() {
    let found = state.withLock { state -> (CommandProcess, Instant)? in
      guard let process = state.process, let ranksEnd = state.ranksEnd else { return nil }
      let end = min(ranksEnd, BootClock.now.advanced(by: Self.restMayTake))
      state.ranksEnd = end
      return (process, end)
    }
    if let (process, end) = found { killRest(of: process, at: end) }
  }

  private func killRest(of process: CommandProcess, at instant: Instant) {
    loop.schedule(at: instant) { [weak self] in
      guard let self, state.withLock({ $0.process === process }) else { return }
      process.killAll()
      sweep()
    }
  }
}
