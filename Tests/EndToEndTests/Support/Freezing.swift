import Glibc
import Stint

/// Whether commands can be frozen here, and how to take that away.
enum Freezing {
  /// Whether a cgroup of version 2 can be made below the tests' own.
  static let isPossible: Bool = {
    guard let freezer = CommandFreezer() else { return false }
    freezer.remove()
    return true
  }()

  /// Starts `stint` where no cgroup can be frozen: who could make one is root, and can unmount them
  /// for this process alone.
  static func startWithout(_ arguments: [String], in scratch: Scratch) throws -> StintProcess {
    guard isPossible else { return try scratch.start(arguments) }
    return try StintProcess(
      [
        "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
        "umount -a -l -t cgroup2 && exec \"$STINT\" \"$@\"", "sh",
      ] + arguments, in: scratch)
  }

  /// The same to its end.
  static func runWithout(_ arguments: [String], in scratch: Scratch) async throws
    -> FinishedProcess
  {
    try await startWithout(arguments, in: scratch).wait()
  }
}
