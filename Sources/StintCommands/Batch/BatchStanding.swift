import StintCore

/// How a line of a batch stands by the records in its log.
enum BatchStanding: String, Hashable, Sendable, CaseIterable {
  /// It has not begun, or has to be run again.
  case waiting
  /// Its process was started, and no record tells of its end.
  case running
  case finished, failed
  /// It is in the file no more.
  case gone
}

extension BatchLineEnd {
  /// How the line stands after its process has ended so.
  var standing: BatchStanding {
    switch self {
    case .finished: .finished
    case .failed: .failed
    case .unfinished: .waiting
    }
  }
}
