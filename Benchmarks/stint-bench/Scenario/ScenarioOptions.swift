import StintCommands
import StintCore

/// What `stint-bench run` is to do.
struct ScenarioOptions: Hashable {
  /// The greatest seed that JSON numbers hold exactly.
  static let greatestSeed = (1 << 53) - 1

  /// Names of scenarios that ship, or paths of files; empty for all that ship.
  var scenarios: [String]
  var seed: UInt64 = 1
  var repeats = 5
  /// Budgets in each repeat; nil for each scenario's own number.
  var trips: Int?
  /// So many trips of the first repeat are in the report as a life.
  var samples = 6
  var json: String?
  var csv: String?
  /// A page with plots.
  var html: String?
  /// The sample lives for Perfetto.
  var trace: String?
  /// Whether a missed goal is an error.
  var check = false
  /// How it is run on the real clock; nil for virtual time.
  var real: RealOptions?
  /// Whether no table is written.
  var quiet = false

  /// Reads what was given.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  init(_ parsed: ParsedOptions) throws {
    scenarios = parsed.operands
    if let seed = try parsed.integer("seed", in: 0...Self.greatestSeed) { self.seed = UInt64(seed) }
    repeats = try parsed.integer("repeats", in: 1...1_000) ?? repeats
    trips = try parsed.integer("trips", in: 1...1_000_000)
    samples = try parsed.integer("samples", in: 0...100_000) ?? samples
    json = parsed.text("json")
    csv = parsed.text("csv")
    html = parsed.text("html")
    trace = parsed.text("trace")
    try refuseOneFileTwice()
    check = parsed.has("check")
    quiet = parsed.has("quiet")
    real = try RealOptions(parsed)
    // Real time is dear: once, unless more is asked for.
    if real != nil, !parsed.has("repeats") { repeats = 1 }
  }

  /// Four files can be asked for, and none may replace another.
  private func refuseOneFileTwice() throws {
    var owners: [String: String] = [:]
    for (option, path) in [("json", json), ("csv", csv), ("html", html), ("trace", trace)] {
      guard let path else { continue }
      if let other = owners.updateValue(option, forKey: path) {
        throw StintError(
          .usage, "--\(other) and --\(option) both name \(path); give each its own file.")
      }
    }
  }
}
