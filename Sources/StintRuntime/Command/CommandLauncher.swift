import Glibc
import StintCore

/// A program that starts the ranks of a parallel job, on this and on other nodes, and how signals
/// reach them through it (X8).
package enum CommandLauncher: String, Hashable, Sendable, CaseIterable {
  /// The command is no launcher.
  case none
  /// Slurm's `srun`: it passes USR1 and USR2 on. At TERM it kills its ranks, which are reached by
  /// `scancel` instead.
  case srun
  /// `mpirun` and `mpiexec`: they pass USR1 on, and at TERM Open MPI leaves its ranks one second.
  case mpi

  /// The launcher that a command is, by the name of its program.
  package init(program: String) {
    let name = program.split(separator: "/").last ?? ""
    switch name.split(separator: ".").first ?? "" {
    case "srun": self = .srun
    case "mpirun", "mpiexec", "orterun", "prterun": self = .mpi
    case _: self = .none
    }
  }

  /// The launchers among a command's processes: its leader, or those that a script has started.
  ///
  /// Of `srun`, which is two processes, the first.
  func processes(ofCommand leader: Int32) -> [Int32] {
    guard self != .none else { return [] }
    if isLauncher(leader) { return [leader] }
    var children: [Int32: [Int32]] = [:]
    for process in KernelFile.numbers(in: "/proc") {
      let fields = KernelFile.statFields(KernelFile.text("/proc/\(process)/stat"))
      guard fields.count > 1, let parent = Int32(fields[1]) else { continue }
      children[parent, default: []].append(process)
    }
    var found: [Int32] = []
    var open = children[leader] ?? []
    while let process = open.popLast() {
      if isLauncher(process) {
        found.append(process)
      } else {
        open += children[process] ?? []
      }
    }
    return found
  }

  private func isLauncher(_ process: Int32) -> Bool {
    let name = KernelFile.text("/proc/\(process)/comm") ?? ""
    return CommandLauncher(program: String(name.prefix { !$0.isNewline })) == self
  }
}

/// Whether a signal has reached the ranks of an `srun`.
package enum RankReach: Hashable, Sendable {
  /// Slurm has sent it to them.
  case reached
  /// There are no ranks yet, or no more.
  case noRanks
  /// Slurm does not answer.
  case silent
}
