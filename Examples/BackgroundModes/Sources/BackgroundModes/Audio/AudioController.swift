import Foundation
import Stint
import UIKit

/// Plays pieces one after another, also in the background.
final class AudioController: Tab {
  private let player: Player
  private let open: () throws -> any Sink
  private let picture: String?
  private(set) var session: Session?
  private var use: ModeUse?

  /// Creates the tab.
  ///
  /// - Parameters:
  ///   - player: What plays.
  ///   - picture: The file for a picture of how far ahead the sound was.
  ///   - open: Opens where the sound goes, once the mode is in use.
  init(_ player: Player, picture: String? = nil, open: @escaping () throws -> any Sink) {
    self.player = player
    self.picture = picture
    self.open = open
  }

  /// The pieces of files, or three tones.
  static func pieces(_ paths: some Collection<String>) throws -> [WaveFile] {
    if paths.isEmpty {
      return try [(262.0, "c"), (330, "e"), (392, "g")].map { hertz, name in
        try WaveFile(WaveFile.tone(hertz: hertz, milliseconds: 2_000), name: name)
      }
    }
    return try paths.map { path in
      let url = URL(fileURLWithPath: path)
      return try WaveFile(Data(contentsOf: url), name: url.lastPathComponent)
    }
  }

  var length: Duration { player.duration }
  var isOver: Bool { session?.isOver ?? true }

  func start(_ elapsed: @escaping @Sendable () -> Duration) throws {
    let application = UIApplication.shared
    do { use = try application.useMode(.audio) } catch { throw Failure("\(error)", 69) }
    let sink: any Sink
    do { sink = try open() } catch { throw Failure("\(error)", 73) }
    session = Session(
      player, to: sink, in: application, elapsed: elapsed,
      onChange: { piece in print(piece.map { "now playing: \($0)" } ?? "the music is over") })
  }

  func end(trip: ClosedRange<Duration>?) throws {
    guard let session else { return }
    session.end()
    use?.end()
    if let failure = session.failure { throw Failure("\(failure)", 74) }
    let background = trip.map { $0.lowerBound.inSeconds...$0.upperBound.inSeconds }
    try session.drawing(background: background).write(to: picture)
    print("\(session.player.underruns.count) underruns")
  }
}
