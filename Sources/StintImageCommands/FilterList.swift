#if Images
import Glibc
import StintCommands
import StintImages

/// `stint run image --list-filters`.
enum FilterList {
  static func render(json: Bool, _ launch: Launch) -> String {
    if json { return FilterCatalogue.json }
    let terminal = TerminalState.current(
      descriptor: STDOUT_FILENO, environment: launch.start.environment)
    return FilterCatalogue.text(option: "--filter", width: terminal.columns)
  }
}
#endif
