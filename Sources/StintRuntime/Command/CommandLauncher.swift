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
    let name = program.split(separator: "/").last.map(String.init) ?? ""
    let flavour = [".openmpi", ".mpich", ".hydra"].first(where: name.hasSuffix) ?? ""
    switch name.dropLast(flavour.count) {
    case "srun" where flavour.isEmpty: self = .srun
    case "mpirun", "mpiexec", "orterun", "prterun": self = .mpi
    case _: self = .none
    }
  }

  /// The launchers among a command's processes: its leader, or those that a script has started.
  ///
  /// An `srun` is two processes; only the first is one of these.
  func processes(ofCommand leader: Int32) -> [Int32] {
    guard self != .none else { return [] }
    if isLauncher(leader) { return [leader] }
    return ProcessFamily.members(from: leader)
      .filter { isLauncher($0.process) && !isLauncher($0.parent) }.map(\.process)
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
