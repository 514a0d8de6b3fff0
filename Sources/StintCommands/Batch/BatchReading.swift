import StintCore

/// What the process of a line says of itself in its events (`docs/formats/events.md`).
struct BatchReading: Hashable, Sendable {
  var fraction: Double
  var phase: String
  var estimate: Duration?

  /// The last tick in whole lines of events; nil if there is none.
  init?(events bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let tick = lines.reversed().lazy.compactMap { try? JSONObject(Array($0)) }
      .first { $0["event"] == .text("tick") }
    guard let tick, let fraction = tick["fraction"]?.double else { return nil }
    self.fraction = min(max(fraction, 0), 1)
    phase = tick["phase"]?.text ?? ""
    estimate = tick["estimateSeconds"]?.double.map(Duration.init(clampingSeconds:))
  }
}
