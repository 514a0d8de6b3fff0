import StintCore
import StintRuntime

/// What a process does while it lives: a worker with its job, or a batch with its lines.
///
/// ``ProcessLife`` calls it on its lanes; it answers by the events of ``ProcessLife``.
protocol Workload: SystemObserver {
  /// Where it is called, unless a method says otherwise.
  var lane: any Lane { get }
  /// Where what may block on a disk or on a reader is done, one thing after another.
  var savingLane: any Lane { get }
  /// Where the files of `stint stop` and `stint pause` are looked for.
  var lookingLane: any Lane { get }

  /// The process enters another trip as soon as this returns.
  func willEnterTrip()
  /// The first trip, or time without an end, has begun.
  func begin(_ time: RunMachine.Time)
  /// The process goes on after a rest, a pause or a stop: in another trip, or in the same one.
  func goOn(inAnotherTrip isAnother: Bool)
  /// Saves for a stop of the terminal or a pause; on the saving lane.
  func save()
  /// The process rests from now on.
  func rests()
  /// The process is paused by `stint pause`; called again at each look while that lasts.
  func isPaused(wasPaused: Bool)
  /// The end of the trip is another one by now, and the system knows it.
  func tripEndMoved()
  /// Writes the end of the trip down durably; any thread.
  func recordMovedEnd(_ end: Deadline?)

  /// Whether somebody asks for a stop, or the job is another process's; on the looking lane.
  var isStopAsked: Bool { get }
  /// Whether somebody asks for a pause; on the looking lane.
  var isPauseAsked: Bool { get }

  /// Ends after the next checkpoint, at once if the process rests.
  func endAfterCheckpoint()
  /// Saves and ends because of a signal; on the saving lane.
  func end(bySignal number: Int32, within grace: Duration)
  /// Saves and ends because whoever grants the time says so; on the saving lane.
  func end(because reason: ExpiryReason)
  /// The whole process is about to be stopped; on the saving lane.
  ///
  /// - Returns: False if it would stop in the middle of something, and wants to save first.
  func willStop() -> Bool
  /// The whole process was stopped for so long; on the saving lane.
  func wasStopped(for duration: Duration)

  /// Says a sentence; any thread.
  func say(_ sentence: String)
  /// Writes the last words and ends the process.
  func leave(_ end: RunMachine.End)
  /// Ends the process by a signal at once, whatever is under way; any thread.
  func die(of number: Int32)
  /// How the process leaves when its last words take too long; nil while something is being saved.
  func exitWithoutWords(dyingOf number: Int32?) -> SupervisorExit?
}

extension Workload {
  func willEnterTrip() {}
  func isPaused(wasPaused: Bool) {}
  func tripEndMoved() {}
  var isPauseAsked: Bool { false }
  func end(because reason: ExpiryReason) {}
  func wasStopped(for duration: Duration) {}
}

/// Runs what it is given one after another: a thread, the caller's, or a queue in virtual time.
protocol Lane: AnyObject, Sendable {
  /// Runs the body after everything that was enqueued before; any thread may call it.
  func enqueue(_ body: @escaping @Sendable () -> Void)
}

extension SerialThread: Lane {}

/// Runs what it is given at once, on the caller's thread.
final class CallersLane: Lane {
  func enqueue(_ body: @escaping @Sendable () -> Void) { body() }
}
