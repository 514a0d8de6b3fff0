import StintCore

/// What a command shows and to whom.
package struct DisplayOptions: Hashable, Sendable {
  /// Machine-readable output.
  package var json: Bool
  /// Do not print progress.
  package var quiet: Bool
  /// A file that gets every event as a JSON line.
  package var events: String?

  /// Reads the options; a verb that lacks one of them has it off.
  package init(_ parsed: ParsedOptions) throws {
    json = parsed.has("json")
    quiet = parsed.has("quiet")
    events = parsed.text("events")
    if let events, events == "-" {
      throw StintError(
        .usage, "--events needs a file; standard output carries the result and nothing else.")
    }
  }
}
