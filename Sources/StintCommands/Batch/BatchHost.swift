import StintCore

/// The process of a batch, as its session knows it.
protocol BatchHost: AnyObject, Sendable {
  /// Where what happens to the batch is taken up.
  var lane: any BatchLane { get }
  /// What happens between two trips, and how the process ends.
  var life: RunLife { get }

  /// Lets the kernel end this process at an instant, or never; lines that are overdue are ended
  /// before that.
  func armHardStop(at instant: Instant?)
  /// Nobody reads standard output any more.
  func readerGone()
  /// Ends the process; called once.
  func leave(_ account: BatchAccount)
}

/// Where what happens to a batch is taken up, one thing after another.
protocol BatchLane: AnyObject, Sendable {
  /// Runs the body after everything that was enqueued before.
  func enqueue(_ body: @escaping @Sendable () -> Void)
}
