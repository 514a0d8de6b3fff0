import Foundation

/// What others used of the processors while something was measured.
struct Disturbance: Hashable, Encodable {
  /// More than this share of the time may not be busy.
  static let mostBusyShare = 0.1

  /// On average, in percent of one processor.
  var othersPercent: Double
  /// In the busiest window.
  var worstPercent: Double
  /// How many windows of about two seconds there were.
  var windows: Int
  /// In how many of them others used more than is quiet.
  var busyWindows: Int

  /// From what others used over the whole time, and in windows of one length, as shares of one
  /// processor.
  init(mean: Double, windows: [Double]) {
    othersPercent = max(0, mean) * 100
    worstPercent = max(0, windows.max() ?? mean) * 100
    self.windows = windows.count
    busyWindows = windows.count { $0 > MachineState.mostOthers }
  }

  /// Why nothing can be judged, as the first half of a sentence; nil if it was quiet.
  var reason: String? {
    let most = MachineState.mostOthers * 100
    if othersPercent > most {
      return String(
        format: "Others used %.0f %% of a processor while this was measured (at most %.0f %% is "
          + "quiet)", othersPercent, most)
    }
    if Double(busyWindows) > Self.mostBusyShare * Double(windows) {
      return String(
        format: "Others used %.0f %% of a processor while this was measured, and more than the "
          + "%.0f %% that are quiet in %d of %d windows, up to %.0f %%",
        othersPercent, most, busyWindows, windows, worstPercent)
    }
    return nil
  }

  /// For people.
  var description: String {
    String(
      format: "Others used %.0f %% of a processor meanwhile, at most %.0f %%.", othersPercent,
      worstPercent)
  }
}
