import Glibc
import StintCore
import StintRuntime

/// What `exec` says, as sentences.
struct ExecMessages {
  let command: String
  let mistakenDuration: String?
  let rules: SupervisorRules

  func sentence(_ message: SupervisorMachine.Message) -> String {
    switch message {
    case .sending(let number):
      "sending signal \(SignalName.name(number)) to command \(ShellWord.quoted(command))"
    case .notStarted(let failure): notStarted(failure)
    case .dumpedCore: "The command \(command) dumped core."
    case .startedAgain(let outcome, let left):
      "The command \(command) \(Self.what(outcome)); restarting it "
        + "(\(left) restart\(left == 1 ? "" : "s") left)."
    case .noRestartsLeft(let outcome) where rules.maximumRestarts == 0:
      "The command \(command) \(Self.what(outcome)); --max-restarts 0 allows no restart."
    case .noRestartsLeft(let outcome):
      "The command \(command) \(Self.what(outcome)) again, after \(rules.maximumRestarts) "
        + "restart\(rules.maximumRestarts == 1 ? "" : "s"); --max-restarts allows no more."
    case .stalled:
      "The command \(command) has shown no progress for \(stallAfter); it is being stopped."
    case .stalledTooOften:
      "The command \(command) has stalled again; --max-restarts \(rules.maximumRestarts) allows no "
        + "more restarts."
    case .noProgress(.crashed(let number, _)):
      "The command \(command) was ended by signal \(SignalName.name(number)), and three stints in a "
        + "row brought nothing new into its checkpoint or done file."
    case .noProgress where !rules.hasCheckpointFile && !rules.hasDoneFile:
      "In three stints in a row the command had to be stopped, and nothing shows that it saved its "
        + "work; give a longer budget, name what it saves with --checkpoint-file, or let the "
        + "command exit with \(rules.unfinishedStatus) once it has saved. \(Self.advice)"
    case .noProgress where rules.hasCheckpointFile:
      "The checkpoint got no new content in three stints in a row; give a longer budget, or let the "
        + "command write its checkpoint when it is warned. \(Self.advice)"
    case .noProgress:
      "The done file did not appear in three stints in a row, and no checkpoint file shows "
        + "progress; check its path, give a longer budget, or name what the command saves with "
        + "--checkpoint-file. \(Self.advice)"
    case .noStintsLeft(let stints):
      "The command \(command) is unfinished after \(stints) stint\(stints == 1 ? "" : "s"), and "
        + "--max-stints \(rules.maximumStints ?? 0) allows no more."
    case .takenForFinished:
      "The command \(command) was warned and exited with 0, which counts as finished. If it saves "
        + "and exits with 0 when it is warned, give --checkpoint-file, --done-file, --resumable or "
        + "--after-warning unfinished. \(Self.advice)"
    case .notDone(isOld: true):
      "The command \(command) exited with 0, but its done file is the one that was there before the "
        + "job, so the work is unfinished."
    case .notDone:
      "The command \(command) exited with 0, but its done file is not there, so the work is "
        + "unfinished."
    case .timeIsOver: "No time is left for another stint."
    case .leftBehind:
      "Processes of \(command) are still there after SIGKILL; they wait for a device or belong to "
        + "another user."
    }
  }

  /// Processes that cannot be found live on.
  var familyIsHidden: String {
    "Processes that \(command) started are still running, because they cannot be listed: /proc is "
      + "missing or shows another PID namespace, or too few files can be opened (ulimit -n)."
  }

  /// The progress file begins with these words.
  func unreadableProgress(_ words: String) -> String {
    let words = words.prefix { !$0.isNewline }.prefix(20)
    return
      "The progress file begins with \"\(words)\", which is no share of the work; write 0.42, 42 "
      + "or 42 %."
  }

  /// A command that is no job was stopped.
  func timedOut(after elapsed: Duration) -> String {
    "The time was up after \(elapsed.compactText), and the command \(command) ended when it was "
      + "asked to. To go on where it stopped, it has to save, and stint to know how: give "
      + "--checkpoint-file, --done-file or --resumable. \(Self.advice)"
  }

  var ranksAreOutOfReach: String {
    "Slurm does not answer, so the ranks of \(command) cannot be warned yet."
  }

  var rankHasNoHandler: String {
    "A rank of \(command) was ended by SIGUSR1, for which it has no handler, and so saved nothing. "
      + Self.advice
  }

  var checkpointIsCutOff: String {
    "The checkpoint has more than \(ContentWatch.mostFiles) files; the others are not looked at."
  }

  private func notStarted(_ failure: CommandStartFailure) -> String {
    let why = String(cString: strerror(failure.errno))
    switch failure.stage {
    case .process, .cgroup:
      return "No process can be created for \(command): \(why)."
    case .program:
      if let mistakenDuration, failure.errno == ENOENT {
        return
          "\"\(mistakenDuration)\" is neither a command nor a duration; write one such as 30, 1.5s or 2m."
      }
      return "The command \(command) cannot be run: \(why)."
    }
  }

  /// Where it is all explained.
  static let advice = "docs/your-program.md says more."

  private var stallAfter: String { rules.stallAfter?.compactText ?? "" }

  private static func what(_ outcome: SupervisorMachine.StintOutcome) -> String {
    switch outcome {
    case .killed: "was killed at its deadline"
    case .crashed(let number, _), .interrupted(let number):
      "was ended by signal \(SignalName.name(number))"
    case .finished, .failed, .asksAgain, .leftUnfinished, .stoppedInTime, .notRun: "ended"
    }
  }
}
