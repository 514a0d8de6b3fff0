public import StintCore

/// A task that the system has begun, and that has to be completed once (Q4).
///
/// While it is open it holds the application like any other task, so a worker registers, ticks,
/// saves and ends under it. Any thread may use it.
public final class ScheduledTask: Sendable {
  private struct State {
    var handler: (@MainActor @Sendable (ExpiryReason) -> Void)?
    var fraction: (@Sendable () -> Double)?
    /// Where it was completed by the program.
    var completedAt: (@Sendable () -> TaskOrigin)?
    var result: BackgroundFetchResult?
  }

  /// Names what is to be done.
  public let identifier: String
  /// What kind of task it is.
  public let kind: ScheduledTaskKind
  let run: Int
  /// Not retained: it holds the tasks that are open.
  private weak let scheduler: TaskScheduler?
  private let state = Protected(State())

  init(_ request: TaskRequest, run: Int, scheduler: TaskScheduler) {
    identifier = request.identifier
    kind = request.kind
    self.run = run
    self.scheduler = scheduler
  }

  /// Called on the main queue when its time is nearly up, with the reason; the task then has to be
  /// completed soon.
  ///
  /// A task without one is completed without success in its place.
  public var expirationHandler: (@MainActor @Sendable (ExpiryReason) -> Void)? {
    get { state.withLock { $0.handler } }
    // Completed, it is never called, and would keep what it holds.
    set {
      let before = state.withLock { state in
        state.result == nil ? exchange(&state.handler, with: newValue) : nil
      }
      // Released outside of the lock: what it holds may be anything.
      withExtendedLifetime(before) {}
    }
  }

  /// Whether it has been completed, by the program or by the system in its place.
  public var isCompleted: Bool { state.withLock { $0.result != nil } }

  /// What it was completed with; nil before that.
  package var result: BackgroundFetchResult? { state.withLock { $0.result } }

  /// Tells how far the task is; a continued one goes on in the background while that moves (Q5).
  ///
  /// - Parameter progress: How far it is.
  public func report(_ progress: WorkProgress) {
    scheduler?.progressed(run, to: progress.fraction)
  }

  /// Lets the scheduler ask how far the task is, when it wants to know.
  package func readProgress(_ fraction: @escaping @Sendable () -> Double) {
    state.withLock { $0.fraction = fraction }
  }

  var readFraction: Double? { state.withLock { $0.fraction }?() }

  /// Says that the task is done; a second call changes nothing and makes a diagnostic that names
  /// both places.
  ///
  /// - Parameters:
  ///   - success: Whether it did what it should.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  public func complete(
    success: Bool, function: String = #function, file: String = #fileID, line: UInt = #line
  ) {
    complete(success ? .newData : .failed) {
      TaskOrigin(function: function, file: file, line: line)
    }
  }

  /// Says what came of the task.
  ///
  /// - Parameters:
  ///   - result: What came of it.
  ///   - origin: Says where that was, if anybody has to know.
  package func complete(
    _ result: BackgroundFetchResult, at origin: @escaping @Sendable () -> TaskOrigin
  ) {
    let (first, before) = state.withLock { state in
      let first = state.completedAt
      if first == nil { state.completedAt = origin }
      return (first, finish(result, &state))
    }
    if before != nil {
      scheduler?.completed(run, result)
    } else if let first {
      scheduler?.diagnose(.completedTwice(name: identifier, first: first(), by: origin()))
    }
  }

  /// The system completes it without success, in the place of a handler that is not there.
  func completeBySystem() {
    let before = state.withLock { finish(.failed, &$0) }
    if before != nil { scheduler?.completed(run, .failed) }
  }

  /// Lets go of the closures; nil if the task was completed before.
  ///
  /// - Returns: What was held, to be released outside of the lock.
  private func finish(_ result: BackgroundFetchResult, _ state: inout State) -> State? {
    guard state.result == nil else { return nil }
    let before = state
    state.result = result
    state.handler = nil
    state.fraction = nil
    return before
  }

  /// Whether its handler may be called now; its time may have been up before.
  package func claimLaunch() -> Bool { scheduler?.claimLaunch(run) ?? false }
}

extension ScheduledTask: SystemsTask {}
