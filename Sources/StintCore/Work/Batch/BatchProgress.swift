/// How far a batch is, over all its lines.
package struct BatchProgress: Hashable, Sendable {
  /// How many lines there are.
  package var total: Int
  /// How many are done, in this process or before.
  package var finished: Int
  /// How many have ended without success in this process.
  package var failed: Int
  /// How many run.
  package var running: Int
  /// The share of the whole, 0 to 1: every line counts the same, one that runs by what it says of
  /// itself.
  package var fraction: Double
  /// How long the rest will take at the speed of this process so far; nil before that is known.
  package var estimate: Duration?

  /// Looks at a batch.
  ///
  /// - Parameters:
  ///   - machine: The state of each line.
  ///   - fractions: What lines that run say of themselves.
  ///   - startFraction: The share that was done when this process began.
  ///   - elapsed: The time since then in which lines could run.
  package init(
    _ machine: BatchMachine, fractions: [Double], startFraction: Double, elapsed: Duration
  ) {
    total = machine.lines.count
    finished = machine.count(of: .finished)
    failed = machine.count(of: .failed)
    running = machine.running
    var share = Double(finished + failed)
    for part in fractions where part.isFinite { share += min(max(part, 0), 1) }
    fraction = total == 0 ? 1 : min(1, share / Double(total))
    let gained = fraction - startFraction
    // In the first second the speed of one short line would stand for all.
    if fraction < 1, gained > 0, elapsed >= .seconds(1) {
      estimate = Duration(clampingSeconds: elapsed.inSeconds * (1 - fraction) / gained)
    }
  }
}
