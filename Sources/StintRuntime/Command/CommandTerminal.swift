import CStint
import Glibc

/// The controlling terminal, which belongs to the command's group while that needs it, as a shell
/// does with its jobs.
///
/// Where standard input and output are the terminal, the command has it from the start. Else
/// somebody in a pipeline beside this process may be reading it (`stint exec ... | less`), so the
/// command gets it when it asks: the kernel stops a process of the background that reads it.
package final class CommandTerminal: Sendable {
  private let descriptor: Int32
  private let modes: Protected<termios?>
  private let given = Protected<Int32?>(nil)

  /// The terminal, or nil if none of the standard descriptors is the one that controls this
  /// process.
  package init?() {
    let standard = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    // Only of its own terminal a process may ask for the foreground group.
    guard let found = standard.first(where: { isatty($0) == 1 && tcgetpgrp($0) >= 0 }) else {
      return nil
    }
    descriptor = found
    var modes = termios()
    self.modes = Protected(tcgetattr(found, &modes) == 0 ? modes : nil)
  }

  /// Whether this process is of the foreground group and so may hand the terminal on.
  var isOurs: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// The terminal for a command that is about to start, if it is to have it from the start.
  package var descriptorToGive: Int32? {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && isOurs ? descriptor : nil
  }

  /// The group to which the terminal was given, while it has it.
  package var foregroundGroup: Int32? { given.withLock { $0 } }

  /// Says that the command took the terminal at its start.
  package func wasGiven(to group: Int32) {
    given.withLock { $0 = group }
  }

  /// Gives the terminal to the command's group if it is this process's to give.
  ///
  /// - Returns: Whether the group has it now.
  @discardableResult
  package func give(to group: Int32) -> Bool {
    guard isOurs, stint_terminal_give(descriptor, group) == 0 else { return false }
    wasGiven(to: group)
    return true
  }

  /// Takes the terminal back, unless somebody else has it by now.
  ///
  /// - Parameter restoringModes: Whether the command could not clean up after itself.
  package func takeBack(restoringModes: Bool = false) {
    guard let group = given.withLock({ $0.take() }), tcgetpgrp(descriptor) == group else { return }
    _ = stint_terminal_give(descriptor, getpgrp())
    guard restoringModes, var modes = modes.withLock({ $0 }) else { return }
    tcsetattr(descriptor, TCSADRAIN, &modes)
  }
}
