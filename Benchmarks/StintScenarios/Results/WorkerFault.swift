/// What a worker can do wrong with its budget, so that somebody outside can tell.
package enum WorkerFault: String, CaseIterable, Hashable, Sendable, Codable {
  /// Its handler returned, or its task was ended, while its save was still under way.
  case earlyReturn
  /// A task was begun and never ended, although the work had been brought to an end.
  case leakedTask
  /// It was warned and went on until it was killed.
  case ignoredWarning
  /// It said that work was saved which was not.
  case lyingCheckpoint
  /// It reported more than it had done.
  case lyingProgress

  /// The name for people.
  package var title: String {
    switch self {
    case .earlyReturn: "early return"
    case .leakedTask: "leaked task"
    case .ignoredWarning: "ignored warning"
    case .lyingCheckpoint: "checkpoint that lies"
    case .lyingProgress: "progress that lies"
    }
  }
}

/// A fault that was found in the trips of one worker (`docs/formats/bench-report.md`).
package struct Finding: Hashable, Sendable, Codable {
  /// What is wrong.
  package var fault: WorkerFault
  /// In how many trips it was found.
  package var trips: Int
  /// The first of them.
  package var firstTrip: Int
  /// What was seen there.
  package var sentence: String

  /// Puts what was found in many trips together, in the order of ``WorkerFault``.
  package static func gathered(_ findings: [Finding]) -> [Finding] {
    WorkerFault.allCases.compactMap { fault in
      let alike = findings.filter { $0.fault == fault }
      guard var first = alike.min(by: { $0.firstTrip < $1.firstTrip }) else { return nil }
      first.trips = Set(alike.map(\.firstTrip)).count
      return first
    }
  }
}
