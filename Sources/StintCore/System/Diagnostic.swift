/// Something that the owner of a program should know and that is not an error.
public enum Diagnostic: Hashable, Sendable {
  /// A task was begun without a handler (A13).
  case taskWithoutHandler(name: String, origin: TaskOrigin)
  /// `.invalid` was ended (A7).
  case endedInvalid(by: TaskOrigin)
  /// An identifier was ended that was never given out, or so long ago that it is forgotten (A7).
  case endedUnknown(BackgroundTaskIdentifier, by: TaskOrigin)
  /// A task was ended again (A7).
  case endedTwice(BackgroundTaskIdentifier, name: String, first: TaskOrigin, by: TaskOrigin)
  /// A task is still open after all handlers have returned (A14).
  case leftOpen(name: String, age: Duration, origin: TaskOrigin)
  /// A handler runs for longer than its allowance (A19).
  case handlerOverran(name: String, allowance: Duration)
  /// Nothing serves the main queue: no handler was called (A12), or nobody was told of a transition
  /// (L2), for so long.
  case mainQueueUnserved(allowance: Duration)
  /// A task has been held in the background for longer than the policy's notice (A22).
  case heldTooLong(name: String, held: Duration, origin: TaskOrigin)
  /// A spent task was ended by the system because a new trip began (A17).
  case spentTaskEnded(name: String, origin: TaskOrigin)
  /// A scope did not stop its work in time; the system ended its task before the deadline (A21).
  case scopeOverran(name: String)
  /// A single-owner token went away with its task still open (A21).
  case tokenDropped(name: String, origin: TaskOrigin)
  /// The system ended the use of a background mode (B5).
  case modeEnded(BackgroundMode, ModeRefusal)
  /// An expiring activity without a reason was refused (A20).
  case activityWithoutReason(origin: TaskOrigin)
  /// A task was asked for in the form that gives no reason, and denied (A4).
  case taskDenied(name: String, DenialReason, origin: TaskOrigin)
  /// What the system began was completed again (B2, Q4).
  case completedTwice(name: String, first: TaskOrigin, by: TaskOrigin)
  /// A handler was registered for an identifier that has one (Q1).
  case registeredTwice(identifier: String, by: TaskOrigin)
  /// A handler was registered after didFinishLaunching had returned (Q1).
  case registeredLate(identifier: String, by: TaskOrigin)
  /// The requests of a program cannot be kept beyond its end (Q6).
  case requestsNotKept(StintError)
  /// A request that an earlier process left does not wait any more (Q6).
  case requestSetAside(identifier: String, String)
  /// The hard stop could not be armed.
  case hardStopNotArmed(errno: Int32)
  /// The process should have been terminated, and the system was told only to report it.
  case terminationReported(TerminationCause)
}

extension Diagnostic: CustomStringConvertible {
  /// A full sentence with the task, the number and the next step.
  public var description: String {
    switch self {
    case .taskWithoutHandler(let name, let origin):
      "The task \"\(name)\" was begun without an expiration handler at \(origin); "
        + "it will not be warned, and if it is still open at the deadline the process is terminated."
    case .endedInvalid(let by):
      "The invalid task was ended at \(by); check the identifier that begin returned."
    case .endedUnknown(let identifier, let by):
      "The task \(identifier) was ended at \(by), but no such task is known."
    case .endedTwice(let identifier, let name, let first, let by):
      "The task \(identifier) \"\(name)\" was ended at \(by), but had been ended at \(first)."
    case .leftOpen(let name, let age, let origin):
      "The task \"\(name)\" is still open \(age.compactText) after it was begun at \(origin), "
        + "although all handlers have returned; end it in its handler."
    case .handlerOverran(let name, let allowance):
      "The expiration handler of the task \"\(name)\" has run for more than "
        + "\(allowance.compactText); it should end its task and return."
    case .mainQueueUnserved(let allowance):
      "Nothing has served the main queue for \(allowance.compactText), and expiration handlers, delegates "
        + "and notifications wait for it; run the main loop, call dispatchMain(), or use a form "
        + "without it."
    case .heldTooLong(let name, let held, let origin):
      "The task \"\(name)\", begun at \(origin), has been held in the background for "
        + "\(held.compactText); end it as soon as its work is done."
    case .spentTaskEnded(let name, let origin):
      "The task \"\(name)\", begun at \(origin), had been warned in an earlier trip and never "
        + "ended; the system ended it."
    case .scopeOverran(let name):
      "The work in the scope of the task \"\(name)\" did not stop when it was cancelled; "
        + "the system ended the task before the deadline."
    case .tokenDropped(let name, let origin):
      "The token of the task \"\(name)\", begun at \(origin), went away; its task was ended."
    case .modeEnded(let mode, let reason):
      "The background mode \"\(mode)\" is not in use any more: \(reason)."
    case .activityWithoutReason(let origin):
      "The activity that was asked for at \(origin) has an empty reason and was refused; say what it is for."
    case .taskDenied(let name, let reason, let origin):
      "The task \"\(name)\" that was asked for at \(origin) was denied: \(reason)."
    case .completedTwice(let name, let first, let by):
      "\"\(name)\" was completed at \(by), but had been completed at \(first)."
    case .registeredTwice(let identifier, let by):
      "A handler for \"\(identifier)\" was registered at \(by), but there is one already, which "
        + "stays; register each identifier once."
    case .registeredLate(let identifier, let by):
      "The handler for \"\(identifier)\" was registered at \(by), after didFinishLaunching had "
        + "returned; iOS raises an exception there, so register it before."
    case .requestsNotKept(let error):
      "The requests of this program end with it, because they cannot be kept: \(error.message)"
        + (error.message.hasSuffix(".") ? "" : ".")
    case .requestSetAside(let identifier, let why):
      "The request \"\(identifier)\" of an earlier process is set aside: \(why)."
    case .hardStopNotArmed(let errno):
      "The hard stop could not be armed (error \(errno)); nothing would end this process at its "
        + "deadline."
    case .terminationReported(let cause):
      "The process would have been terminated: \(cause)."
    }
  }
}
