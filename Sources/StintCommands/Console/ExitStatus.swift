package import StintCore
import StintRuntime

/// The exit statuses of the command line, in one place.
package enum ExitStatus {
  /// Finished; the result is durable.
  package static let finished: Int32 = 0
  /// Every line of a batch, or every image of a set, has ended, and some without success.
  package static let linesFailed: Int32 = 1
  /// Bad usage.
  package static let usage: Int32 = 64
  /// Input or checkpoint damaged beyond every generation.
  package static let damaged: Int32 = 65
  /// Something needed is missing, the job is in use, or no budget lets it progress.
  package static let unavailable: Int32 = 69
  /// A check of our own failed.
  package static let checkFailed: Int32 = 70
  /// The output cannot be created.
  package static let cannotCreate: Int32 = 73
  /// Reading or writing failed.
  package static let io: Int32 = 74
  /// Time is up, work is saved: run me again.
  package static let unfinished: Int32 = 75

  /// The exit status of an error.
  package static func of(_ error: StintError) -> Int32 {
    switch error.code {
    case .usage: usage
    // What cannot be read now may be whole.
    case .damaged where error.isOfTheDevice: io
    // Parameters that differ: the stored work cannot be used with what was asked for.
    case .damaged, .mismatch: damaged
    case .unavailable, .busy, .noProgress: unavailable
    case .cannotCreate: cannotCreate
    case .io: io
    case .partlyFailed: linesFailed
    default: checkFailed
    }
  }
}
