package import StintCore

/// What a lane is given to run; a virtual one asks how long that takes.
package enum LaneWork: Hashable, Sendable {
  /// Reading the newest checkpoint.
  case load
  /// A chunk of at most this cost.
  case chunk(cost: Double)
  /// A checkpoint of about that many bytes.
  case save(bytes: Int)
  /// Putting the result where it belongs.
  case deliver
  /// Handing a report or a notice to its reader.
  case report
}

/// Runs a worker's work one piece after another, in the order given: a thread, or a queue in
/// virtual time.
package protocol WorkerLane: AnyObject, Sendable {
  /// Runs the body after everything that was enqueued before; any thread may call it.
  ///
  /// - Parameters:
  ///   - work: What the body does.
  ///   - body: Called with the instant at which the lane took it up. Whatever the time it is called
  ///     at: a state is immutable (W14), so that a body that runs at the end of its time does the
  ///     same as one that runs all along.
  func enqueue(_ work: LaneWork, _ body: @escaping @Sendable (_ began: Instant) -> Void)

  /// The stop flag was raised: a running chunk is about to give up.
  func stopFlagRaised()
}

extension WorkerLane {
  package func stopFlagRaised() {
    // A chunk that runs on a thread sees the flag itself.
  }
}

/// A lane that is a thread of its own.
package final class ThreadLane: WorkerLane {
  private let thread: SerialThread
  private let now: @Sendable () -> Instant

  /// Starts the thread, which is named and prompt as ``SerialThread`` says.
  package init(name: String, isPrompt: Bool, now: @escaping @Sendable () -> Instant) {
    // What need not be prompt is a computation: a user's code, and a child that it starts inherits
    // the thread's mask.
    thread = SerialThread(name: name, isPrompt: isPrompt, blocksSignals: isPrompt)
    self.now = now
  }

  package func enqueue(
    _ work: LaneWork, _ body: @escaping @Sendable (_ began: Instant) -> Void
  ) {
    thread.enqueue { [now] in body(now()) }
  }
}
