import Stint
import UIKit

/// Follows a walk, also in the background.
final class LocationController: Tab {
  private let track: Track
  private let speed: Double
  private let picture: String?
  private(set) var recorder: Recorder?
  private var use: ModeUse?

  /// Creates the tab.
  ///
  /// - Parameters:
  ///   - track: What the receiver replays.
  ///   - speed: How much faster than it was walked.
  ///   - picture: The file for a picture of the way.
  init(_ track: Track, speed: Double = 1, picture: String? = nil) {
    self.track = track
    self.speed = speed
    self.picture = picture
  }

  var length: Duration { (track.points.last?.at ?? .zero) / speed }

  func start(_ elapsed: @escaping @Sendable () -> Duration) throws {
    let application = UIApplication.shared
    do { use = try application.useMode(.location) } catch { throw Failure("\(error)", 69) }
    recorder = Recorder(track, speed: speed, in: application, elapsed: elapsed) { kept in
      guard kept.state == .background else { return }
      let place = kept.point.place
      print("in the background at \(place.latitude) \(place.longitude)")
    }
  }

  func end(trip: ClosedRange<Duration>?) throws {
    guard let recorder else { return }
    recorder.end()
    use?.end()
    try recorder.drawing.write(to: picture)
    let away = recorder.kept.filter { $0.state == .background }.count
    print("\(recorder.kept.count) of \(track.points.count) points kept, \(away) in the background")
  }
}
