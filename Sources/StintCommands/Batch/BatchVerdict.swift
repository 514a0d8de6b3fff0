import Glibc
import StintCore

/// What the end of a line's process means for the line.
enum BatchVerdict {
  /// How often in a row a command may be ended by its time without having saved anything (W13).
  static let mostCuts = 3

  static let reasonOfCuts =
    "Its time ran out \(mostCuts) times in a row, and it starts over each time; give the batch a longer budget, "
    + "or the command a --checkpoint-file from which it continues."

  /// How much a command may write to its standard output and standard error together.
  static let mostOutputBytes = 1 << 30

  /// The status of a line that ran longer than `--timeout`, as with `timeout` (coreutils).
  static let statusOfTimeout: Int32 = 124

  static let reasonOfOutput =
    "It wrote more than 1 GiB to its standard output and standard error, which the batch stores "
    + "until it has ended; let it write to a file of its own."

  /// What an end means at the end of a trip or before, and after SIGTERM or without it.
  ///
  /// A line whose process ended because its time was up is unfinished, and continues in the next
  /// trip.
  static func outcome(of exit: BatchExit, isClosing: Bool, wasTold: Bool) -> BatchLineEnd {
    switch exit {
    case .exited(ExitStatus.finished): .finished
    case .exited(ExitStatus.unfinished): .unfinished
    case .exited(let status):
      // After SIGTERM a command may leave with whatever it likes.
      wasTold || (isClosing && isOfTime(status)) ? .unfinished : .failed
    case .signalled: isClosing || wasTold ? .unfinished : .failed
    case .notStarted: .failed
    }
  }

  /// Whether a process was ended by its time and had kept nothing of its work.
  ///
  /// A command that the batch runs itself was told so, and may then leave with whatever it likes.
  static func wasCut(_ exit: BatchExit, _ job: BatchJob, wasTold: Bool) -> Bool {
    guard !job.isResumable else { return false }
    switch exit {
    case .exited(let status): return isOfTime(status) || (wasTold && job.plainCommand != nil)
    case .signalled: return true
    case .notStarted: return false
    }
  }

  /// The statuses with which `stint exec` says that time is up, as `timeout` does.
  private static func isOfTime(_ status: Int32) -> Bool {
    status == 124 || status == 128 + SIGKILL
  }
}

/// Why a batch ends the process of a line that would have gone on.
enum BatchFault: Hashable, Sendable {
  case output, timeout

  var sentence: String {
    switch self {
    case .output: BatchVerdict.reasonOfOutput
    case .timeout: "It ran longer than --timeout."
    }
  }
}
