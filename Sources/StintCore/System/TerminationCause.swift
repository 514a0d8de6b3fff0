/// Why the system ended the process (L8).
///
/// The next run reads it from the exit ledger.
public enum TerminationCause: Hashable, Sendable {
  /// The process went on past its deadline.
  case overrun
  /// A task was still open at the termination point although its handler had returned or it had
  /// none.
  case leakedTask(name: String)
  /// A background task or a fetch that the system began was not completed in its time (B2, Q4).
  case neverCompleted(name: String)
  /// Handlers had not returned when the deadline came.
  case handlersOverran
  /// didEnterBackground did not return within the grace (L4).
  case enterBackgroundOverran
  /// Ended while suspended, without notice (L6).
  case killedWhileSuspended
  /// The program trapped or crashed.
  case crash
  /// A signal ended it.
  case signal(Int32)
}

extension TerminationCause: CustomStringConvertible {
  /// The cause as a clause.
  public var description: String {
    switch self {
    case .overrun: "it ran past its deadline"
    case .leakedTask(let name): "the task \"\(name)\" was never ended"
    case .neverCompleted(let name): "\"\(name)\" was not completed in its time"
    case .handlersOverran: "its expiration handlers had not returned at the deadline"
    case .enterBackgroundOverran: "didEnterBackground did not return within the grace"
    case .killedWhileSuspended: "it was killed while suspended"
    case .crash: "it crashed"
    case .signal(let number): "signal \(number) ended it"
    }
  }
}
