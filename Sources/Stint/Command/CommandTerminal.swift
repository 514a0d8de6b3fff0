import CStint
import Glibc

/// The terminal on standard input, which belongs to the command's group while that runs, as a shell does with its jobs.
package final class CommandTerminal: Sendable {
  private let descriptor = STDIN_FILENO
  private let modes: Protected<termios?>
  private let given = Protected<Int32?>(nil)

  /// The terminal, or nil if standard input is none.
  package init?() {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    var modes = termios()
    self.modes = Protected(tcgetattr(STDIN_FILENO, &modes) == 0 ? modes : nil)
  }

  /// Whether this process is of the foreground group and so may hand the terminal on.
  var isOurs: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// The terminal for a command that is about to start, if it may be handed on.
  package var descriptorToGive: Int32? { isOurs ? descriptor : nil }

  /// The group to which the terminal was given, while it has it.
  package var foregroundGroup: Int32? { given.withLock { $0 } }

  /// Says that the command took the terminal at its start.
  package func wasGiven(to group: Int32) {
    given.withLock { $0 = group }
  }

  /// Gives the terminal to the command's group if it is this process's to give: after a stop, or moved to the foreground.
  package func give(to group: Int32) {
    guard isOurs, stint_terminal_give(descriptor, group) == 0 else { return }
    wasGiven(to: group)
  }

  /// Takes the terminal back, unless somebody else has it by now.
  ///
  /// - Parameter restoringModes: Whether the command could not clean up after itself.
  package func takeBack(restoringModes: Bool = false) {
    let group = given.withLock { group in
      defer { group = nil }
      return group
    }
    guard let group, tcgetpgrp(descriptor) == group else { return }
    _ = stint_terminal_give(descriptor, getpgrp())
    guard restoringModes, var modes = modes.withLock({ $0 }) else { return }
    tcsetattr(descriptor, TCSADRAIN, &modes)
  }
}
