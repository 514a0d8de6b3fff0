/// What must hold at every step of every life.
package enum Invariant: String, CaseIterable, Sendable {
  /// No task lives past its deadline unless the process is terminated (A14, A19).
  case noTaskPastItsDeadline
  /// A handler is called at most once, and never after its task was ended (A5, A12).
  case handlerOnce
  /// Every granted task gets its handler before its time is gone, with the exceptions that A11
  /// names.
  case handlerInTime
  /// Suspended code does nothing: no chunk begins, no checkpoint, no tick, no handler (L5).
  case suspendedDoesNothing
  /// On becoming active the worker registers exactly once if its task is not valid, else not at all
  /// (W5).
  case registersOnce
  /// No work counts as saved that a crash can lose (W4, C4).
  case savedSurvives
  /// After every crash the newest whole generation is found (C1, C2).
  case newestIsFound
  /// Progress shown is never above what is true (W10).
  case progressIsTrue
  /// The remaining time told is never more than what is left, and never negative (A10).
  case remainingIsTrue
  /// The result equals the uninterrupted one (W8).
  case sameResult
  /// The journal accounts for every second of work: saved, lost at the end of a stint, or cut off
  /// with its process (W10).
  case accounted
  /// The worker ends its task before the deadline as long as nothing it waits for takes longer than
  /// it can know (W4).
  case endsInTime
  /// The grace counts from the entry into the background, and a trip that somebody else than the
  /// policy ends lasts until then while there is work (L4, A15).
  case tripLasts
  /// A suspended process waits for something, or ends (A23, W7).
  case suspensionIsFollowedUp
  /// Nothing begins for which no request waits, or beside itself, and no handler is called twice
  /// (Q2, Q9).
  case beginsOnce
  /// Nothing begins before its time, without what it requires, or sooner than its pace (Q3, Q9).
  case beginsWhenDue
  /// Each run ends once: completed, given back unheard, or as the end of its process (Q4).
  case runEndsOnce
  /// No run is held against its owner without an expiration handler that was called in time (Q4).
  case runIsWarned
  /// What waits is known to wait, and is looked at when time alone has ended that (Q7).
  case waitHasReason
  /// No trip begins for a task beyond a quota or the end that another process set (Q9).
  case tripWithinLimits
  /// Something is always under way or due until the work is done.
  case neverStuck
}

/// A broken promise.
package struct Violation: Error, Hashable, Sendable {
  package let invariant: Invariant
  package let detail: String
  /// The number of the event after which it was seen.
  package let event: Int
}
