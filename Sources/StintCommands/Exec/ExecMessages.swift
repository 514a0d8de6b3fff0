import Glibc
import StintCore

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
    case .noProgress where !rules.hasCheckpointFile:
      "In three stints in a row the command had to be stopped, and nothing shows that it saved its "
        + "work; give a longer budget, name the file that it saves with --checkpoint-file, or let "
        + "the command exit with \(rules.unfinishedStatus) once it has saved."
    case .noProgress:
      "The checkpoint file did not change in three stints in a row; give a longer budget, or let "
        + "the command write its checkpoint when it is warned."
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

  private static func what(_ outcome: SupervisorMachine.StintOutcome) -> String {
    switch outcome {
    case .killed: "was killed at its deadline"
    case .crashed(let number, _), .interrupted(let number):
      "was ended by signal \(SignalName.name(number))"
    case .finished, .failed, .asksAgain, .stoppedInTime, .notRun: "ended"
    }
  }
}
