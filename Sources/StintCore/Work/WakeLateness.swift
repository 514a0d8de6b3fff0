/// Learns how late this machine wakes a thread that waits for an instant.
///
/// A budget ends at an instant, and so does a stint: a wake-up that comes after it costs the
/// process its life. On a loaded machine wake-ups come tens of milliseconds late, so as much is
/// kept free before the deadline as they were late.
struct WakeLateness: Hashable, Sendable {
  /// The instant that was last asked for, while it lies ahead.
  private var asked: Instant?
  private var samples: [Duration] = []
  private var oldest = 0
  private let window: Int
  /// So many wake-ups of this stint are still asked for only to learn from them.
  private(set) var probesLeft = 0

  /// Creates one without samples, which remembers that many of the last wake-ups.
  init(window: Int) {
    self.window = max(1, window)
  }

  /// How late a wake-up has to be expected: as late as the latest of the last ones, for so few have
  /// no finer quantile.
  var expected: Duration { samples.max() ?? .zero }

  /// A wake-up was asked for, in place of the one before; nil for none.
  mutating func asked(for instant: Instant?, at now: Instant) {
    // One that is due already says nothing of how long waking takes.
    asked = instant.flatMap { $0 > now ? $0 : nil }
  }

  /// The process or the machine stands still: a wake-up that comes late for that says nothing of
  /// how soon this machine wakes a thread.
  mutating func stoodStill() { asked = nil }

  mutating func stintBegan(probes: Int) { probesLeft = probes }

  /// A wake-up has come.
  ///
  /// - Returns: Whether it counts: a stale one, which came too early, does not.
  @discardableResult
  mutating func woken(at now: Instant) -> Bool {
    guard let instant = asked, instant <= now else { return false }
    asked = nil
    probesLeft = max(0, probesLeft - 1)
    let late = instant.duration(to: now)
    if samples.count < window {
      samples.append(late)
    } else {
      samples[oldest] = late
      oldest = (oldest + 1) % samples.count
    }
    return true
  }
}
