package import StintCore

extension SystemDriver {
  /// The modes that the program has declared, each with why.
  package var declaredModes: [BackgroundMode: String] {
    state.withLock { $0.machine.declaredModes }
  }

  /// The modes that are in use, in the order in which they were begun.
  package var modesInUse: [SystemMachine.ModeInUse] { state.withLock { $0.machine.modes } }

  /// Declares that the program may use a mode (B5).
  package func declareMode(_ mode: BackgroundMode, because reason: String) {
    state.withLock { $0.machine.modeDeclared(mode, because: reason) }
  }

  /// Begins to use a mode (B5); returns at once.
  ///
  /// - Returns: The number of the use, or why there is none.
  package func beginMode(_ mode: BackgroundMode) -> Result<Int, ModeRefusal> {
    let (result, outcome) = state.withActions { state, waiting in
      let request = state.machine.modeRequested(
        mode, isPermitted: state.modeConditions[mode, default: .init()].isPermitted,
        now: environment.now)
      return (request.result, accept(request.actions, &state, &waiting))
    }
    finish(outcome, performHere: false)
    return result
  }

  /// Ends a use of a mode; one that is over already is no mistake.
  package func endMode(_ number: Int) {
    handle(performHere: false) { $0.modeEnded(number, now: $1) }
  }

  /// What the system allows to those who use a mode.
  package func conditions(of mode: BackgroundMode) -> ModeConditions {
    state.withLock { $0.modeConditions[mode, default: .init()] }
  }

  /// Changes that; where the mode is not permitted any more, its uses are over.
  package func setConditions(_ conditions: ModeConditions, of mode: BackgroundMode) {
    state.withLock { $0.modeConditions[mode] = conditions }
    if conditions.isPermitted { return }
    handle(performHere: true) { $0.modeForbidden(mode, now: $1) }
  }
}
