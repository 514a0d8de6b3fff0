import Glibc
import StintCore
import StintRuntime

extension Slurm {
  /// A controller that is busy takes a submission late.
  private static let submissionMayTake = Duration.seconds(60)

  /// Hands a script over by an `sbatch` command; the number of the job.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` that says what Slurm said.
  func submit(_ words: [String]) throws(StintError) -> String {
    switch answer(words, within: Self.submissionMayTake) {
    case .success(let text):
      // With several clusters, its name follows after a semicolon.
      let number = text.prefix { $0 != ";" && $0 != "\n" }
      if !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) { return String(number) }
      throw StintError(.unavailable, "sbatch said \"\(text.prefix(200))\", which names no job")
    case .failure(let failure):
      throw StintError(
        .unavailable, failure.said.map { "Slurm says \"\($0)\"" } ?? failure.why,
        errno: failure.mayHaveTaken ? ETIMEDOUT : 0)
    }
  }

  /// Whether Slurm may have taken a submission, or may still take it, although `sbatch` failed.
  static func mayHaveTaken(_ error: StintError) -> Bool { error.errno == ETIMEDOUT }

  /// Whether Slurm would refuse the same words again, such as those of an unknown partition.
  static func isPermanent(_ error: StintError) -> Bool {
    let signs = [
      "nvalid ", "can not be satisfied", "configuration is not available", "nrecognized",
      "nable to open file",
    ]
    return !mayHaveTaken(error) && !isOfLimits(error) && signs.contains { error.message.holds($0) }
  }

  /// Whether Slurm took nothing because it has enough of this user.
  static func isOfLimits(_ error: StintError) -> Bool {
    ["limit", "Limit", "QOS", "Max", "Assoc"].contains { error.message.holds($0) }
  }

  /// The settings of the cluster; nil if it cannot be asked.
  func configuration() -> SlurmConfiguration? {
    guard case .success(let text) = answer(["scontrol", "show", "config"]) else { return nil }
    return SlurmConfiguration(text)
  }

  // MARK: Arrays

  /// How an array stands in the queue.
  func standing(
    of array: String, within patience: Duration = patience
  ) -> Result<SlurmStanding, SlurmFailure> {
    let asked = answer(["squeue", "-h", "-j", array, "-o", "%t|%r|%k"], within: patience)
    if case .failure(let failure) = asked, failure.knowsNoSuchJob {
      return .success(SlurmStanding(""))
    }
    return asked.map(SlurmStanding.init)
  }

  /// How all arrays and jobs of this user stand that wait or run, by their numbers.
  func standings(
    within patience: Duration = patience
  ) -> Result<[String: SlurmStanding], SlurmFailure> {
    answer(["squeue", "-h", "--me", "-o", "%F|%t|%r|%k"], within: patience).map { text in
      let lines = text.split(separator: "\n").map {
        $0.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      }
      return Dictionary(grouping: lines.filter { $0.count == 2 }) {
        String($0[0].filter(\.isNumber))
      }
      .mapValues { SlurmStanding($0.map { String($0[1]) }.joined(separator: "\n")) }
    }
  }

  /// The number of this user's array that waits or runs with a script; nil if there is none.
  func array(running script: String) -> Result<String?, SlurmFailure> {
    answer(["squeue", "-h", "--me", "-o", "%F %o"]).map { text in
      let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
      let line = lines.first { $0.drop { $0 != " " }.dropFirst() == script }
      return line.map { String($0.prefix { $0 != " " }) }
    }
  }

  /// Takes the tasks of arrays that have not begun out of the queue; why that failed, or nil.
  func cancelPending(_ array: String) -> String? { cancelPending([array]) }

  func cancelPending(_ arrays: [String]) -> String? {
    if arrays.isEmpty { return nil }
    return switch answer(["scancel", "--state=PENDING"] + arrays) {
    case .success: nil
    case .failure(let failure): failure.knowsNoSuchJob ? nil : failure.why
    }
  }

  /// Takes the tasks of an array after one of so many out of the queue.
  ///
  /// None of them can have begun. No state is given, because `scancel` ignores numbers of tasks
  /// where it gets a state, too.
  func cancel(_ array: String, after task: Int, of count: Int) {
    if task < count { _ = answer(["scancel", "\(array)_[\(task + 1)-\(count)]"]) }
  }

  /// Holds the tasks of an array that have not begun, with a comment on why; why that failed, or
  /// nil.
  func hold(_ array: String, comment: String) -> String? {
    // The comment first: what is held says why from the beginning.
    _ = answer(["scontrol", "update", "JobId=\(array)", "Comment=\(Self.line(comment))"])
    return control("hold", array) { $0.isHeld || $0.reason == nil }
  }

  /// Lets the tasks of an array begin that were held; why that failed, or nil.
  func release(_ array: String) -> String? {
    let failure = control("release", array) { !$0.isHeld }
    // A later hold must not show the reason of this one.
    if failure == nil { _ = answer(["scontrol", "update", "JobId=\(array)", "Comment="]) }
    return failure
  }

  /// Changes the tasks of an array by `scontrol`; why that failed, or nil.
  ///
  /// Its exit status says nothing: it is 1 as soon as a task of the array has ended.
  private func control(
    _ verb: String, _ array: String, isDone: (SlurmStanding) -> Bool
  ) -> String? {
    let called = answer(["scontrol", verb, array])
    guard case .failure(let failure) = called else { return nil }
    guard case .success(let standing) = standing(of: array), isDone(standing) else {
      return failure.why
    }
    return nil
  }

  private static func line(_ text: String) -> String {
    // Slurm takes 1,024 bytes.
    String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }.prefix(250))
  }

  // MARK: Ends

  /// How Slurm ended a job, such as a task of an array, or is about to; nil if it does not say, or
  /// if the job ends by itself.
  func end(of job: String) -> SliceEnd? { jobs(job).lazy.compactMap { SliceEnd($0) }.first }

  /// The tasks of an array that Slurm remembers.
  func jobs(_ job: String, within patience: Duration = patience) -> [SlurmJob] {
    guard
      case .success(let text) = answer(["scontrol", "show", "job", "-o", job], within: patience)
    else { return [] }
    return text.split(separator: "\n").compactMap(SlurmJob.init)
  }
}

/// How an array stands in Slurm's queue.
struct SlurmStanding: Hashable, Sendable {
  /// Whether a task runs or has just ended.
  private(set) var isRunning = false
  /// Why the tasks that have not begun wait, in Slurm's words; nil if there are none.
  private(set) var reason: String?
  /// What a slice has left in the comment of the job.
  private(set) var comment: String?

  /// Reads lines of state, reason and comment.
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      if fields[0] == "PD" {
        reason = reason ?? String(fields[1].prefix(60))
      } else {
        isRunning = true
      }
      if fields[2].hasPrefix(ChainScript.mark) {
        comment = String(fields[2].dropFirst(ChainScript.mark.count))
      }
    }
  }

  /// Whether a task runs, or waits and can begin some day.
  var isQueued: Bool { isRunning || reason != nil && !canNeverBegin }
  /// Whether nothing begins until somebody releases it.
  var isHeld: Bool { reason?.hasPrefix("JobHeld") ?? false }
  /// Whether it waits for a job that can never end as it should.
  var canNeverBegin: Bool { reason == "DependencyNeverSatisfied" }
}

/// A job, as `scontrol show job` prints it.
struct SlurmJob: Hashable, Sendable {
  let state: String
  let node: String
  let exitCode: String
  let reason: String
  /// Whether Slurm took its allocation back, at once or after a grace.
  let wasPreempted: Bool
  /// Its number and task, such as `120_4`; nil for what is no task of an array.
  let task: String?

  /// Whether Slurm could not open what the script was to write to: then it never began.
  var lacksOutput: Bool { state == "FAILED" && exitCode == "0:53" }

  init?(_ line: Substring) {
    let words = line.split(separator: " ")
    func value(_ name: String) -> String? {
      words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    guard let state = value("JobState") else { return nil }
    self.state = state
    node = value("NodeList") ?? ""
    exitCode = value("ExitCode") ?? ""
    reason = value("Reason") ?? ""
    wasPreempted = value("PreemptTime")?.first?.isNumber ?? false
    // For tasks that wait this is a range.
    task = value("ArrayTaskId").flatMap { task in value("ArrayJobId").map { "\($0)_\(task)" } }
  }
}

extension SliceEnd {
  /// Reads how Slurm ended a job, or is about to; nil if the job ended by itself.
  init?(_ job: SlurmJob) {
    switch job.state {
    // What Slurm ends is in this state before its processes get a signal.
    case "COMPLETING", "TIMEOUT", "DEADLINE", "CANCELLED", "PREEMPTED":
      if job.reason == "TimeLimit" || ["TIMEOUT", "DEADLINE"].contains(job.state) {
        self = .timedOut
      } else if job.wasPreempted || job.state == "PREEMPTED" {
        self = .preempted
      } else {
        self = .cancelled
      }
    case "NODE_FAIL", "BOOT_FAIL": self = .nodeLost
    case "OUT_OF_MEMORY": self = .outOfMemory
    case "REQUEUED": self = .preempted
    // What ended by itself in the grace of a preemption.
    default:
      guard job.wasPreempted else { return nil }
      self = .preempted
    }
  }
}
