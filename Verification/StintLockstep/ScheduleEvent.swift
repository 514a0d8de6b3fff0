package import StintCore

/// One step of a history of a schedule.
package enum ScheduleEvent: Hashable, Sendable {
  case register(String, isLate: Bool)
  /// The earliest begin is so many nanoseconds from now; nil for as soon as possible.
  case submit(TaskRequest, ahead: Int?)
  case takeBack(String)
  case cancel(String)
  case cancelAll

  case life(LifeState)
  case status(BackgroundRefreshStatus)
  case conditions(MachineConditions)
  case interval(FetchInterval)
  case pressMemory
  case terminate
  /// The process is gone, and the next one reads what it left.
  case restart
  /// The handlers of a launch are registered.
  case launchEnded

  case grant(run: Int)
  case deny(run: Int, DenialReason)
  case claim(run: Int)
  case expire(run: Int, ExpiryReason, ahead: Int)
  case complete(run: Int, BackgroundFetchResult)
  case progress(run: Int, percent: Int)

  case simulateLaunch(String)
  case simulateExpiry(String)
  case simulateFetch
  case simulateSessionEvents(String)

  /// Somebody sets the wall clock; perhaps nobody notices.
  case setClock(by: Int, isTold: Bool)
  /// Time passes and every wake-up comes when it is due.
  case pass(Int)
  /// Time passes and nobody looks: timers are late.
  case late(Int)
  /// Somebody looks at the clocks.
  case look
}
