package import StintCore

/// One step of a history; one that is not possible when its turn comes is left out, so that every
/// part of a history is one.
package enum LockstepEvent: Hashable, Sendable {
  case launch(SystemMachine.Launch)
  case resign
  /// The trip's clock began so many nanoseconds ago; nil grants what the policy does, and a limited
  /// trip has an end that is not the policy's own.
  case enterBackground(since: Int, grant: Int?, isLimited: Bool)
  /// The program has nothing more to do in the trip.
  case idle
  case enterReturned(trip: Int)
  case enterForeground
  case becomeActive
  case resume
  case continued(stopped: Int)
  case revoke(ExpiryReason)
  /// The authority expires the trip, with an end so many nanoseconds from now (before now, if
  /// negative).
  case authorityExpired(ExpiryReason, ahead: Int)
  /// A source or the authority moves the end of the trip; nil takes it away.
  case endMoved(ExpiryReason, ahead: Int?)
  case stop(ExpiryReason, grace: Int)
  case pressMemory
  case beginMode(BackgroundMode, isPermitted: Bool)
  case endMode(Int)
  case forbidMode(BackgroundMode)
  case terminate
  case killWhileSuspended
  case terminationReported

  case begin(TaskDelivery, named: Bool)
  /// The system begins a task that may take so many nanoseconds.
  case beginForSystem(allowance: Int)
  /// The system allows so many nanoseconds from now on.
  case allowTime(ahead: Int)
  /// A task of the system's was not completed.
  case notCompleted(Int)
  case end(Int, quietly: Bool)
  case answer(Int, isGranted: Bool)
  /// The main queue comes to the call with this number, counted from 1.
  case claim(call: Int)
  case returned(Int)

  /// Time passes and every wake-up comes when it is due.
  case pass(Int)
  /// Time passes and nobody looks: timers are late.
  case late(Int)
  /// Somebody looks at the clock.
  case look
}
