import StintCore

/// The settings of a cluster, as `scontrol show config` prints them.
struct SlurmConfiguration: Hashable, Sendable {
  private static let heading = "Configuration data as of "

  private var settings: [String: String] = [:]
  /// The controller's clock when it answered, in UTC, as nanoseconds since 1970, cut to a second;
  /// nil if it is not said.
  private(set) var answeredAt: Int64?

  /// Reads lines of the form `Name = value`.
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      if line.hasPrefix(Self.heading) {
        answeredAt = UntilTime.instant(line.dropFirst(Self.heading.utf8.count) + "Z")
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      settings[Self.trimmed(parts[0])] = Self.trimmed(parts[1])
    }
  }

  /// A setting as it is written; nil if the cluster does not say it.
  subscript(_ name: String) -> String? { settings[name] }

  /// A setting that is a time, such as `30 sec`.
  func duration(_ name: String) -> Duration? {
    guard let words = settings[name]?.split(separator: " "), let seconds = words.first,
      let number = Int64(seconds), number >= 0, number <= 1_000_000_000
    else { return nil }
    return .seconds(number)
  }

  /// A setting that is a number.
  func number(_ name: String) -> Int? { settings[name].flatMap { Int($0) } }

  /// One of the words of a setting that has several, such as `batch_sched_delay=1` in
  /// `SchedulerParameters`.
  func parameter(_ name: String, of setting: String) -> Int? {
    let words = (settings[setting] ?? "").split(separator: ",")
    let word = words.first { $0.hasPrefix(name + "=") }
    return word.flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
