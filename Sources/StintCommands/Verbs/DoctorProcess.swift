import Glibc
import Stint
import StintCore

/// The process's surroundings: cgroup, process 1, terminal.
enum DoctorProcess {
  static func findings(environment: [String: String]) -> [DoctorFinding] {
    [freezer(), processOne(), terminal(.current(environment: environment))]
  }

  private static func freezer() -> DoctorFinding {
    let path = SmallFile.text("/proc/self/cgroup")?.split(separator: "\n")
      .first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
    let isVersion2 = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0
    guard let path, isVersion2 else {
      return DoctorFinding("freezer", .ok, "no cgroup v2; processes are stopped by signals")
    }
    let folder = "/sys/fs/cgroup" + (path == "/" ? "" : path)
    guard access(folder + "/cgroup.procs", W_OK) == 0, access(folder, W_OK) == 0 else {
      return DoctorFinding(
        "freezer", .ok, "cgroup v2 of another user; processes are stopped by signals")
    }
    return DoctorFinding("freezer", .ok, "cgroup v2 at \(folder) is writable")
  }

  private static func processOne() -> DoctorFinding {
    // As process 1, stint has left that place to its parent before any verb.
    func program(_ process: String) -> String? {
      realpath("/proc/\(process)/exe", nil).map { path in
        defer { free(path) }
        return String(cString: path)
      }
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
      ? "standard error is no terminal"
      : !state.isForeground ? "not the foreground group" : "TERM cannot rewrite a line"
    return DoctorFinding("terminal", .ok, "plain lines: \(why)")
  }
}
