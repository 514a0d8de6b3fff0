import StintCore

extension RemoteSystem {
  /// How long the program may take to end after SIGTERM, unless the supervisor has said that.
  private static let terminationGrace = Duration.seconds(5)

  /// Makes SIGTERM a stop, as one of the supervisor's is, unless the program handles or ignores it.
  ///
  /// A program that does not end within the grace dies of the signal, and at once of a second one.
  func stopAtTermination() {
    // Without a descriptor the signal keeps its default action.
    _ = try? StopSignals.shared.take(
      [.terminate], for: driver, grace: Self.terminationGrace, isOfProgram: false)
  }
}
