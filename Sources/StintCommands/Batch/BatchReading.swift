import FoundationEssentials
import StintCore

/// What the process of a line says of itself in its events (`docs/formats/events.md`).
struct BatchReading: Hashable, Sendable {
  var fraction: Double
  var phase: String
  var estimate: Duration?

  /// The last tick in whole lines of events; nil if there is none.
  init?(events bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let tick = lines.reversed().lazy.compactMap { line in
      try? JSONDecoder().decode(Tick.self, from: Data(line))
    }.first { $0.event == "tick" }
    guard let tick, let fraction = tick.fraction, fraction.isFinite else { return nil }
    self.fraction = min(max(fraction, 0), 1)
    phase = tick.phase ?? ""
    estimate = tick.estimateSeconds.map(Duration.init(clampingSeconds:))
  }

  private struct Tick: Decodable {
    var event: String
    var fraction: Double?
    var phase: String?
    var estimateSeconds: Double?
  }
}
