import Glibc
import StintCore
import StintRuntime

/// Holds the run machine of a process: gives it one event at a time, and has its actions performed
/// in order and outside the lock.
final class RunLife: Sendable {
  private let driver: MachineDriver<RunMachine, RunMachine.Action>

  init(_ rules: RunMachine.Rules) {
    driver = MachineDriver(RunMachine(rules: rules))
  }

  /// What the machine knows now.
  var machine: RunMachine { driver.withLock { $0 } }

  /// Gives the machine an event and performs what it causes; on a thread that performs already,
  /// after that.
  ///
  /// The death by a second signal waits for nothing.
  func handle(
    _ event: (inout RunMachine) -> [RunMachine.Action], perform: (RunMachine.Action) -> Void
  ) {
    driver.handle(
      event,
      isUrgent: { if case .die = $0 { true } else { false } },
      perform: perform)
  }

  /// Gives the machine a signal that came to the process.
  func handle(signal number: Int32, perform: (RunMachine.Action) -> Void) {
    handle(
      { machine in
        switch number {
        case SIGTSTP: machine.terminalStopCame()
        case SIGCONT: machine.terminalContinueCame()
        case let number where SignalWatch.warnings.contains(number): machine.warningCame(number)
        case _: machine.signalCame(number, now: BootClock.now)
        }
      }, perform: perform)
  }
}
