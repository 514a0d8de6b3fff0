import CStint
package import StintCore

/// What a program does first, before it has threads.
package enum ProcessOne {
  /// If this process is number 1 of its container, goes on in a child, because nothing could end
  /// number 1 at its deadline.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` if the process cannot fork.
  package static func leave() throws(StintError) {
    let result = stint_fork_if_process_one()
    guard result == 0 else {
      throw StintError(
        .unavailable, "This process is number 1 and cannot fork, so no deadline could be enforced.",
        errno: -result)
    }
  }
}
