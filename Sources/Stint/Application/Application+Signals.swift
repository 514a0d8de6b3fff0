public import StintCore
public import StintRuntime

extension Application {
  /// Makes signals a stop of the application, so that work is saved before the process ends (W11).
  ///
  /// Without this call such a signal ends the process at once. With it, the first signal asks the
  /// application to stop, in whatever state it is: the handlers of the open tasks are called with
  /// the reason ``ExpiryReason/signal(_:)``, and each worker saves, ends, and returns
  /// ``StintResult/stopped(_:)``. A task or a worker that is begun later is refused with the same
  /// reason. The program decides when it exits, and with which status. If it is still there when
  /// the grace is over, it dies of the signal; a second signal, at least 200 ms after the first,
  /// ends it at once. SIGUSR1, SIGUSR2 and SIGXCPU count once however often they come.
  ///
  /// Call it early, on any thread; a signal that comes before is not heard of. A second call sets
  /// other signals and another grace for this application. A signal that the program handles or
  /// ignores stays as it is, as SIGHUP under `nohup`, and so does one for which the program
  /// installs a handler later. Programs that this one starts have the default action.
  ///
  /// ```swift
  /// let application = try Application.adopting(orBudget: .seconds(30))
  /// try application.stopOnSignals([.terminate], grace: .seconds(10))
  /// ```
  ///
  /// - Parameters:
  ///   - signals: The signals.
  ///   - grace: How long the program may take to save and exit. Under a supervisor that has said
  ///     how long, that counts.
  /// - Returns: The signals that are stops now: those asked for, without those that the program
  ///   handles or ignores.
  /// - Throws: ``StintError`` with the code `unavailable` if no descriptor is left.
  @discardableResult
  public nonisolated func stopOnSignals(
    _ signals: Set<StopSignal> = [.terminate], grace: Duration = .seconds(5)
  ) throws(StintError) -> Set<StopSignal> {
    try StopSignals.shared.take(signals, for: driver, grace: max(.zero, grace))
  }
}
