import StintCore
import StintRuntime

extension Slurm {
  /// The states of a task whose end is not its own fault.
  private static let excused = ["NODE_FAIL", "PREEMPTED", "CANCELLED", "BOOT_FAIL", "REQUEUED"]
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
      throw StintError(.unavailable, failure.why)
    }
  }

  /// The settings of the cluster; nil if it cannot be asked.
  func configuration() -> SlurmConfiguration? {
    guard case .success(let text) = answer(["scontrol", "show", "config"]) else { return nil }
    return SlurmConfiguration(text)
  }

  /// The numbers of this user's arrays with a name that wait or run.
  func arrays(
    named name: String, within patience: Duration = patience
  ) -> Result<Set<String>, SlurmFailure> {
    answer(["squeue", "-h", "--me", "-n", name, "-o", "%F"], within: patience).map { text in
      Set(text.split(separator: "\n").map { String($0.filter(\.isNumber)) })
    }
  }

  /// Takes the tasks of an array that have not begun out of the queue; why that failed, or nil.
  func cancelPending(_ array: String) -> String? {
    switch answer(["scancel", "--state=PENDING", array]) {
    case .success: nil
    case .failure(let failure): failure.why
    }
  }

  /// Whether a task of an array ended because its node failed or because the engine took the
  /// allocation back.
  func isExcused(_ array: String, task: Int) -> Bool {
    guard case .success(let text) = answer(["scontrol", "show", "job", "-o", "\(array)_\(task)"])
    else { return false }
    let word = text.split(separator: " ").first { $0.hasPrefix("JobState=") }
    return word.map { Self.excused.contains(String($0.dropFirst(9))) } ?? false
  }
}
