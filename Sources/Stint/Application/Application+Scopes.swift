import StintCore

extension Application {
  /// Runs work under a task that is ended exactly once on every path (A21).
  ///
  /// At expiry the flag is raised and the work is waited for. Work that does not stop costs only
  /// the task: the system ends it shortly before the deadline, with a diagnostic.
  ///
  /// - Parameters:
  ///   - name: The task's name, for people; nil for the calling function's.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - work: The work; it polls the flag.
  /// - Returns: What the work returned.
  /// - Throws: What the work threw, or ``StintError`` with the code `unavailable` if the task is
  ///   denied.
  public nonisolated func withBackgroundTask<Result>(
    named name: String? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    _ work: (StopFlag) throws -> Result
  ) throws -> Result {
    let origin = TaskOrigin(function: function, file: file, line: line)
    let flag = StopFlag()
    let task = try driver.beginOrThrow(
      named: name ?? function, origin: origin, handler: .scoped { _ in flag.raise() })
    defer { driver.end(task, origin: origin, quietly: true) }
    return try work(flag)
  }

  /// Runs asynchronous work under a task that is ended exactly once on every path (A21).
  ///
  /// At expiry the work is cancelled and waited for. Work that does not stop costs only the task:
  /// the system ends it shortly before the deadline, with a diagnostic.
  ///
  /// - Parameters:
  ///   - name: The task's name, for people; nil for the calling function's.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - work: The work; it looks at its cancellation.
  /// - Returns: What the work returned.
  /// - Throws: What the work threw, or ``StintError`` with the code `unavailable` if the task is
  ///   denied.
  public nonisolated func withBackgroundTask<Result: Sendable>(
    named name: String? = nil,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let origin = TaskOrigin(function: function, file: file, line: line)
    let (expiries, expire) = AsyncStream.makeStream(of: Void.self)
    let task = try driver.beginOrThrow(
      named: name ?? function, origin: origin,
      handler: .scoped { _ in
        expire.yield()
        expire.finish()
      })
    defer {
      driver.end(task, origin: origin, quietly: true)
      expire.finish()
    }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        for await _ in expiries {}
        return nil
      }
      defer { group.cancelAll() }
      while let outcome = try await group.next() {
        if let result = outcome { return result }
        group.cancelAll()
      }
      // The work's own child gives a value or throws; the group cannot run dry before it.
      preconditionFailure("The work of a scope gave no result.")
    }
  }

  /// Runs a block in the background, and tells it when to stop (A20).
  ///
  /// Denied, expired before it was called, or asked for with an empty reason: the block runs once
  /// with true. Finished in time: once with false. Expired: with false, then with true on another
  /// thread while the first call still runs. The activity lasts until the first call returns.
  ///
  /// - Parameters:
  ///   - reason: The activity's name, for people.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - block: Called on a thread of its own, with whether the time is up.
  public nonisolated func performExpiringActivity(
    withReason reason: String,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    using block: @escaping @Sendable (Bool) -> Void
  ) {
    let origin = TaskOrigin(function: function, file: file, line: line)
    let environment = driver.environment
    if isRefused(reason, origin) { return environment.onAnyThread { block(true) } }
    let activity = ExpiringActivity()
    let grant = driver.begin(
      named: reason, origin: origin,
      handler: .direct { _ in
        activity.expires()
        environment.onAnyThread { if activity.claimsSecondCall() { block(true) } }
      }
    ).grant
    environment.onAnyThread { [driver] in
      guard case .granted(let task) = grant else { return block(true) }
      block(!activity.begins())
      activity.ends()
      driver.end(task, origin: origin, quietly: true)
    }
  }

  /// Runs an asynchronous block in the background, and tells it when to stop, without parking a
  /// thread (A20).
  ///
  /// - Parameters:
  ///   - reason: The activity's name, for people.
  ///   - function: Filled in by the compiler.
  ///   - file: Filled in by the compiler.
  ///   - line: Filled in by the compiler.
  ///   - block: Called with whether the time is up; with true while the first call still runs.
  public nonisolated func performExpiringActivity(
    withReason reason: String,
    function: String = #function, file: String = #fileID, line: UInt = #line,
    using block: @escaping @Sendable (Bool) async -> Void
  ) async {
    let origin = TaskOrigin(function: function, file: file, line: line)
    if isRefused(reason, origin) { return await block(true) }
    let (expiries, expire) = AsyncStream.makeStream(of: Void.self)
    let activity = ExpiringActivity()
    let grant = driver.begin(
      named: reason, origin: origin,
      handler: .direct { _ in
        activity.expires()
        expire.yield()
        expire.finish()
      }
    ).grant
    guard case .granted(let task) = grant else { return await block(true) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await _ in expiries where activity.claimsSecondCall() { await block(true) }
      }
      await block(!activity.begins())
      activity.ends()
      driver.end(task, origin: origin, quietly: true)
      expire.finish()
    }
  }

  /// Whether an activity has no reason, which a person could not tell from any other (A20).
  private nonisolated func isRefused(_ reason: String, _ origin: TaskOrigin) -> Bool {
    if reason.isEmpty { driver.environment.diagnose(.activityWithoutReason(origin: origin)) }
    return reason.isEmpty
  }
}
