import Foundation
import Glibc

/// What the processors have done since boot, in clock ticks, from `/proc/stat` (proc(5)).
struct ProcessorTimes {
  var busy: Double
  var all: Double

  /// Reads them now; nil where there is no `/proc`.
  static func now() -> ProcessorTimes? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
      let line = text.split(separator: "\n").first, line.hasPrefix("cpu ")
    else { return nil }
    // user nice system idle iowait irq softirq steal; guests are counted in user already.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    guard ticks.count == 8 else { return nil }
    let all = ticks.reduce(0, +)
    return ProcessorTimes(busy: all - ticks[3] - ticks[4], all: all)
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
