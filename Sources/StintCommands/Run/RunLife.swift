import Glibc
import StintCore
import StintRuntime

/// Holds the run machine of a process: gives it one event at a time, and has its actions performed
/// in order and outside the lock.
final class RunLife: Sendable {
  private struct State {
    var machine: RunMachine
    var outbox: [RunMachine.Action] = []
    var isPerforming = false
  }

  private let state: Protected<State>

  init(_ rules: RunMachine.Rules) {
    state = Protected(State(machine: RunMachine(rules: rules)))
  }

  /// What the machine knows now.
  var machine: RunMachine { state.withLock { $0.machine } }

  /// Gives the machine an event and performs what it causes; on a thread that performs already,
  /// after that.
  ///
  /// The death by a second signal waits for nothing.
  func handle(
    _ event: (inout RunMachine) -> [RunMachine.Action], perform: (RunMachine.Action) -> Void
  ) {
    let (death, mustPerform) = state.withLock { state -> (RunMachine.Action?, Bool) in
      let actions = event(&state.machine)
      if case .die? = actions.first { return (actions.first, false) }
      state.outbox += actions
      guard !state.outbox.isEmpty, !state.isPerforming else { return (nil, false) }
      state.isPerforming = true
      return (nil, true)
    }
    if let death { perform(death) }
    guard mustPerform else { return }
    while let action = next() { perform(action) }
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

  private func next() -> RunMachine.Action? {
    state.withLock { state in
      guard !state.outbox.isEmpty else {
        state.isPerforming = false
        return nil
      }
      return state.outbox.removeFirst()
    }
  }
}
