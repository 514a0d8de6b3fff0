public import Stint
public import StintCore

extension VirtualSystem {
  /// What begins tasks for the application.
  public nonisolated var taskScheduler: TaskScheduler { driver.taskScheduler }

  /// What the machine offers to tasks that the system begins (Q3): a condition that a test sets.
  public var conditions: MachineConditions {
    get { environment.state.withLock { $0.conditions } }
    set {
      environment.state.withLock { $0.conditions = newValue }
      taskScheduler.conditionsChanged(to: newValue)
      run()
    }
  }

  /// The wall clock, which runs with ``clock``; a test can set it, as people do.
  public var wallTime: WallInstant {
    get { environment.wallTime }
    set {
      let step = environment.wallTime.duration(to: newValue)
      environment.state.withLock { $0.wallStep += step }
      taskScheduler.clockWasSet()
      run()
    }
  }

  /// Begins a request now, whatever it waits for (Q8).
  ///
  /// - Parameter identifier: Names what is to be done.
  /// - Returns: Whether such a request waited and none of the identifier runs.
  @discardableResult
  public func simulateLaunch(of identifier: String) -> Bool {
    goOn()
    defer { run() }
    return taskScheduler.simulateLaunch(of: identifier)
  }

  /// Lets the time of a task be up (Q8).
  ///
  /// - Parameter identifier: Names what is done.
  /// - Returns: Whether such a task runs.
  @discardableResult
  public func simulateExpiration(of identifier: String) -> Bool {
    goOn()
    defer { run() }
    return taskScheduler.simulateExpiration(of: identifier)
  }

  /// Begins a background fetch (B4).
  ///
  /// An application in the foreground goes to the background first; one that was not launched is
  /// launched straight into the background, and a suspended one runs again. Not completed within
  /// 30 s, the process is terminated (B2).
  ///
  /// - Returns: The completion that the delegate was given; nil if the system denied the fetch.
  @discardableResult
  public func simulateFetch() -> VirtualFetch? {
    goOn()
    return fetch(taskScheduler.simulateFetch())
  }

  /// The completion of a task that the system has begun by itself.
  func fetch(_ task: ScheduledTask?) -> VirtualFetch? {
    run()
    guard let task else { return nil }
    // Without an application there is nobody to tell: the test completes it.
    if application == nil { _ = task.claimLaunch() }
    return VirtualFetch(task)
  }
}
