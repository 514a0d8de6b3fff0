import StintCore
import StintRuntime

/// Which jobs `stint list` shows: `--state`, `--kind`, `--since`.
struct ListFilter {
  private let states: Set<String>?
  private let kinds: Set<String>?
  private let since: Duration?

  /// Reads the options.
  ///
  /// - Parameters:
  ///   - context: The command line.
  ///   - present: The kinds of the jobs that there are: an embedder's own are in no table.
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ context: VerbContext, present: [String]) throws {
    let parsed = context.parsed
    states = try parsed.words("state", among: JobState.allCases.map(\.rawValue))
    let names = context.kinds.names
    kinds = try parsed.words("kind", among: names + Set(present).subtracting(names).sorted())
    since = try parsed.duration("since")
  }

  /// Whether a job is shown.
  func admits(_ view: JobView, in context: VerbContext) -> Bool {
    if let states, !states.contains(view.state.rawValue) { return false }
    if let kinds, !kinds.contains(Self.kind(of: view)) { return false }
    guard let since, !view.summary.isRunning else { return true }
    guard let last = view.lastActivity else { return false }
    let now = context.surroundings.wallTime.nanosecondsSince1970
    let (age, overflow) = now.subtractingReportingOverflow(last)
    return !overflow && age <= since.nanoseconds
  }

  /// The kind of a job; what cannot be read is known by its key.
  static func kind(of view: JobView) -> String {
    view.summary.record?.kind
      ?? String(view.key[..<(view.key.lastIndex(of: "-") ?? view.key.endIndex)])
  }
}
