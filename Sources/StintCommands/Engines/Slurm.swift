import Glibc
import StintCore
import StintRuntime

/// The commands of Slurm, as this process calls them.
struct Slurm: Sendable {
  /// How long a command may take: a controller that is busy answers late, one that is gone never.
  static let patience = Duration.seconds(10)

  /// Names of variables that change what the commands print.
  private let withheld: [String]

  init(environment: [String: String]) {
    withheld = environment.keys.filter { name in
      ["SLURM_TIME_FORMAT", "SBATCH_WAIT", "SBATCH_CLUSTERS"].contains(name)
        || name == "SLURM_CLUSTERS" || name.hasPrefix("SQUEUE_")
        || name.hasPrefix("SCONTROL_")
    }
    .sorted()
  }

  /// Runs a command of Slurm: what it wrote to its standard output, or why it gave no answer.
  func answer(
    _ words: [String], within patience: Duration = patience
  ) -> Result<String, SlurmFailure> {
    var call = ProgramCall(words, within: patience)
    call.variables = ["TZ": "UTC"]
    call.withheld = withheld
    switch call.run() {
    case .ended(0, let output, _): return .success(String(decoding: output, as: UTF8.self))
    case .ended(let status, _, let errors):
      let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n")
      let first = lines.first.map { ": \($0.prefix(200))" } ?? ""
      return .failure(
        SlurmFailure(
          why: "\(words[0]) ended with status \(status)\(first)",
          said: lines.isEmpty
            ? nil : String(lines.prefix(3).joined(separator: "; ").prefix(500))))
    case .notStarted(let errno):
      return .failure(
        SlurmFailure(
          why: "\(words[0]) cannot be started: \(String(cString: strerror(errno)))",
          isAbsent: errno == ENOENT))
    case .tookTooLong(let time):
      return .failure(
        SlurmFailure(why: "\(words[0]) gave no answer within \(time.compactText)", isLate: true))
    }
  }
}

/// Why a command of Slurm gave no answer.
struct SlurmFailure: Error, Hashable {
  /// A clause for people.
  let why: String
  /// What the command wrote to standard error, at most three lines of it.
  var said: String?
  /// Whether the command is not there.
  var isAbsent = false
  /// Whether the command was ended before it gave an answer.
  var isLate = false

  /// Whether the controller may have taken what it was told all the same.
  var mayHaveTaken: Bool { isLate || said?.contains("timed out") ?? false }

  /// Whether Slurm has no job of that number, or none any more.
  var knowsNoSuchJob: Bool { said?.contains("Invalid job id") ?? false }
}
