import Stint
import StintCore

/// Reads from the journal how the process before this one was ended (L8).
enum LastTermination {
  /// A sentence about the last run if it did not end in order, once; nil otherwise.
  static func explain(_ job: Job) -> String? {
    nil
  }
}
