import Glibc
import StintCore
import StintRuntime

/// The process's surroundings: cgroup, process 1, terminal.
enum DoctorProcess {
  static func findings(environment: [String: String]) -> [DoctorFinding] {
    [freezer(triedFreezer()), processOne(), terminal(.current(environment: environment))]
  }

  /// Makes a freezer like that of `stint exec --suspend`: the path of its cgroup, or nil if it
  /// cannot be made.
  private static func triedFreezer() -> String? {
    guard let freezer = CommandFreezer() else { return nil }
    defer { freezer.remove() }
    return freezer.setFrozen(true) ? freezer.path : nil
  }

  static func freezer(_ path: String?) -> DoctorFinding {
    guard let path else {
      return DoctorFinding(
        "freezer", .ok,
        "no cgroup v2 can be made here; stint exec --suspend stops a group by signals")
    }
    return DoctorFinding("freezer", .ok, "cgroup v2 at \(path) can be made and frozen")
  }

  private static func processOne() -> DoctorFinding {
    // As process 1, stint has left that place to its parent before any verb.
    func program(_ process: String) -> FilePath? {
      try? FilePath("/proc/\(process)/exe").resolved()
    }
    guard getppid() == 1, let own = program("self"), program("1") == own else {
      return DoctorFinding("process 1", .ok, "no, deadlines are enforced by the kernel as usual")
    }
    return DoctorFinding("process 1", .ok, "yes; a child does the work, where SIGKILL works")
  }

  static func terminal(_ state: TerminalState) -> DoctorFinding {
    if state.showsLiveLine {
      return DoctorFinding(
        "terminal", .ok,
        "live line, \(state.columns) columns"
          + (state.style.color ? ", colours" : "") + (state.style.unicode ? ", Unicode" : ""))
    }
    let why =
      !state.isTerminal
      ? "standard error is not a terminal"
      : !state.isForeground ? "not the foreground group" : "TERM cannot rewrite a line"
    return DoctorFinding("terminal", .ok, "plain lines: \(why)")
  }
}
