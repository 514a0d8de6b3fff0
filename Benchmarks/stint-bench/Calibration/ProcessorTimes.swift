import Foundation
import Glibc

/// What the processors have done since boot, in clock ticks, from `/proc/stat` (proc(5)).
struct ProcessorTimes {
  var busy: Double
  var all: Double
  /// Of what is busy, all but interrupts.
  var computing: Double
  /// How many processors there are.
  var processors: Int

  /// Reads them now; nil where there is no `/proc`.
  static func now() -> ProcessorTimes? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
      let line = text.split(separator: "\n").first, line.hasPrefix("cpu ")
    else { return nil }
    let processors = text.split(separator: "\n").count { $0.hasPrefix("cpu") } - 1
    // user nice system idle iowait irq softirq steal; guests are counted in user already.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    guard ticks.count == 8 else { return nil }
    let all = ticks.reduce(0, +)
    let busy = all - ticks[3] - ticks[4]
    return ProcessorTimes(
      busy: busy, all: all, computing: busy - ticks[5] - ticks[6], processors: max(1, processors))
  }

  /// The share of all processors that was busy since an earlier reading, from 0 to 1.
  func busyShare(since earlier: ProcessorTimes) -> Double {
    all > earlier.all ? (busy - earlier.busy) / (all - earlier.all) : 0
  }

  /// The load average over the last minute.
  static func loadAverage() -> Double {
    var loads = [0.0, 0, 0]
    return getloadavg(&loads, 3) > 0 ? loads[0] : 0
  }
}
