import Foundation
import Stint

/// Where sound goes.
protocol Sink: Sendable {
  /// Takes as many of the bytes as there is room for, and says how many.
  func write(_ bytes: Data) throws -> Int
}

/// Plays pieces one after another: hands 10 ms at a time to a sink, a little ahead of the listener.
///
/// It looks at the clock at each tick, so a tick that was dropped costs nothing but some of what it
/// is ahead.
struct Player {
  /// How much was handed over at which time, for the picture.
  struct Level {
    var at: Duration
    var bufferedMilliseconds: Double
  }

  /// The milliseconds of one buffer.
  static let step = 10

  let pieces: [WaveFile]
  private let format: WaveFile.Format
  private let sound: Data
  private let ends: [Int]
  private let ahead: Int
  private(set) var written = 0
  private(set) var levels: [Level] = []

  /// Creates a player; its times count from the beginning of the first piece, and all pieces are
  /// of one format.
  init(_ pieces: [WaveFile], aheadMilliseconds: Int = 200) throws {
    guard let first = pieces.first else { throw WaveFile.Fault(description: "Nothing to play.") }
    for piece in pieces where piece.format != first.format {
      throw WaveFile.Fault(description: "\(piece.name) has another format than \(first.name).")
    }
    self.pieces = pieces
    format = first.format
    sound = pieces.reduce(into: Data()) { $0 += $1.samples }
    ends = pieces.reduce(into: []) { $0.append(($0.last ?? 0) + $1.samples.count) }
    ahead = aheadMilliseconds
  }

  /// How long all pieces take.
  var duration: Duration {
    .nanoseconds(Int64(Double(sound.count) / bytesPerSecond * 1e9))
  }

  /// Hands over what is due, in whole buffers.
  mutating func tick(_ sink: some Sink, at elapsed: Duration) throws {
    let buffer = format.bytes(milliseconds: Self.step)
    let due = (Self.milliseconds(elapsed) + ahead) / Self.step * buffer
    // Before the first buffer nobody listens.
    if written > 0 { levels.append(level(elapsed)) }
    while written < min(due, sound.count) {
      let next = sound.dropFirst(written).prefix(buffer - written % buffer)
      let count = try sink.write(next)
      written += count
      // No room: the rest goes with the next tick.
      if count < next.count { break }
    }
    levels.append(level(elapsed))
  }

  /// The piece that is heard at this time; nil after the last one.
  func piece(at elapsed: Duration) -> WaveFile? {
    let heard = elapsed.inSeconds * bytesPerSecond
    return ends.firstIndex { heard < Double($0) }.map { pieces[$0] }
  }

  /// When the listener had to wait: what was handed over was less than what was heard.
  var underruns: [Duration] {
    levels.filter { $0.bufferedMilliseconds < 0 }.map(\.at)
  }

  /// When each piece begins, and the last one ends.
  var starts: [Double] { [0] + ends.map { Double($0) / bytesPerSecond } }

  private var bytesPerSecond: Double { Double(format.bytes(milliseconds: 1000)) }

  private static func milliseconds(_ duration: Duration) -> Int { Int(duration.inSeconds * 1000) }

  private func level(_ at: Duration) -> Level {
    let heard = min(at.inSeconds * bytesPerSecond, Double(sound.count))
    return Level(
      at: at, bufferedMilliseconds: (Double(written) - heard) / bytesPerSecond * 1000)
  }
}
