#if Images
import Glibc
import StintCommands
import StintCore
import StintImages

/// `stint run image --list-filters`.
struct FilterList: KindWork {
  /// Reads a command line; nil if it asks for something else.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init?(_ parsed: ParsedOptions) throws {
    guard parsed.has("list-filters") else { return nil }
    guard parsed.operands.count <= 1 else {
      throw StintError(.usage, "--list-filters stands alone; leave the images out.")
    }
  }

  func run(_ options: RunOptions, _ launch: Launch) throws {
    let terminal = TerminalState.current(
      descriptor: STDOUT_FILENO, environment: launch.start.environment)
    try StandardOutput().write(
      options.display.json
        ? FilterCatalogue.json
        : FilterCatalogue.text(option: "--filter", width: terminal.columns))
  }
}
#endif
