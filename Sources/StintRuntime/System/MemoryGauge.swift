/// Whether memory is short, by what the kernel has counted and averaged.
struct MemoryGauge: Sendable {
  /// The share of time in which something waited for memory from which on it is short, in percent.
  static let leastStalled = 10.0

  private let group: ControlGroup
  private let read: @Sendable (String) -> String?
  private var counted: Int?

  /// Looks through a reader of files; nil stands for a file that is not there.
  init(read: @escaping @Sendable (String) -> String?) {
    self.read = read
    group = ControlGroup(read: read)
  }

  /// What was reached up to now is over.
  mutating func forget() { counted = nil }

  /// Whether a limit of memory was reached since this was last asked, or much time is spent waiting
  /// for memory.
  mutating func isShort() -> Bool {
    let events = group.memoryEvents
    let hasMore = counted.map { events > $0 } ?? false
    counted = events
    let text = group.memoryPressure ?? read("/proc/pressure/memory")
    return hasMore || (text.flatMap(Self.stalled) ?? 0) >= Self.leastStalled
  }

  /// The share of the last ten seconds in which something waited, in percent.
  ///
  /// The text is that of `/proc/pressure/memory` (Documentation/accounting/psi.rst).
  static func stalled(in text: String) -> Double? {
    for line in text.split(separator: "\n") where line.hasPrefix("some ") {
      for word in line.split(separator: " ") where word.hasPrefix("avg10=") {
        return Double(word.dropFirst("avg10=".count))
      }
    }
    return nil
  }
}
