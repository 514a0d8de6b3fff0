/// How Slurm ended a job, where its own exit status does not say it.
enum SliceEnd: String, Hashable, Sendable, CaseIterable {
  case preempted, cancelled, nodeLost, timedOut, outOfMemory

  /// Whether that is not the fault of the work.
  var isExcused: Bool { [.preempted, .cancelled, .nodeLost].contains(self) }

  /// For a table.
  var words: String {
    switch self {
    case .preempted: "preempted"
    case .cancelled: "cancelled"
    case .nodeLost: "its node was lost"
    case .timedOut: "Slurm ended it at its time limit"
    case .outOfMemory: "it was out of memory"
    }
  }
}
