/// Where a line of a batch stands.
package enum BatchLineState: String, Hashable, Sendable, CaseIterable {
  /// It has not been started in this trip, and may be.
  case waiting
  /// Its process runs.
  case running
  /// It has failed, and this process runs it again.
  case failing
  /// Its process has ended and wants to be run again; it waits for the next trip.
  case unfinished
  /// It is done.
  case finished
  /// It has ended without success; the next batch tries it again.
  case failed

  /// Whether nothing more is to be done for it in this process.
  package var isSettled: Bool {
    switch self {
    case .finished, .failed: true
    case .waiting, .running, .failing, .unfinished: false
    }
  }
}

/// How the process of a line ended.
package enum BatchLineEnd: String, Hashable, Sendable, CaseIterable {
  /// With success.
  case finished
  /// Saved, and to be run again.
  case unfinished
  /// Without success.
  case failed
}
