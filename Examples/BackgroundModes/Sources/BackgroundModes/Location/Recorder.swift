import Foundation
import Stint
import Synchronization

/// Follows a receiver that replays a track, and keeps what is far enough from the point before.
final class Recorder: Sendable {
  /// A point that was kept, and in which state.
  struct Kept: Sendable {
    var point: TrackPoint
    var state: ApplicationState
  }

  private struct State {
    var updates: FilteredUpdates<TrackPoint>
    var kept: [Kept] = []
    var last: TrackPoint?
  }

  private let track: Track
  private let state: Mutex<State>
  private let observer = Mutex<PeriodicObserver?>(nil)

  /// Begins to follow.
  ///
  /// - Parameters:
  ///   - track: What the receiver replays.
  ///   - speed: How much faster than it was walked.
  ///   - distance: The least distance of two points that are kept, in metres.
  ///   - accuracy: The greatest error of a point that is kept, in metres.
  ///   - application: Whose mode `location` it uses.
  ///   - elapsed: The time since the beginning.
  ///   - onKeep: Is told of each point that is kept.
  @MainActor
  init(
    _ track: Track, speed: Double = 1, distance: Double = 10, accuracy: Double = 50,
    in application: Application, elapsed: @escaping @Sendable () -> Duration,
    onKeep: @escaping @Sendable (Kept) -> Void = { _ in }
  ) {
    self.track = track
    state = Mutex(
      State(
        updates: FilteredUpdates(
          distance: distance, by: { $0.place.distance(to: $1.place) }, accuracy: accuracy)))
    let observer = application.addPeriodicObserver(every: .milliseconds(10)) {
      [weak self, weak application] in
      guard let self, let application else { return }
      let kept = follow(track.point(at: elapsed() * speed), in: application)
      if let kept { onKeep(kept) }
    }
    self.observer.withLock { $0 = observer }
  }

  /// The last hundred points that were kept.
  var history: [TrackPoint] { state.withLock { $0.updates.history } }

  /// All points that were kept, with the state of the application.
  var kept: [Kept] { state.withLock { $0.kept } }

  /// Follows no more.
  func end() {
    observer.withLock { $0 }?.remove()
  }

  /// A receiver tells where it is now; it does not tell the same twice.
  private func follow(_ point: TrackPoint?, in application: Application) -> Kept? {
    state.withLock { state in
      guard let point, point != state.last else { return nil }
      state.last = point
      let conditions = application.conditions(of: .location)
      guard state.updates.take(point, error: point.error, under: conditions) == .kept else {
        return nil
      }
      let kept = Kept(point: point, state: application.applicationState)
      state.kept.append(kept)
      return kept
    }
  }

  /// The way, and what was kept of it: blue in the foreground, orange in the background.
  var drawing: Drawing {
    let places = track.points.map(\.place)
    let middle = (places.map(\.latitude).reduce(0, +) / Double(places.count)) * .pi / 180
    func point(_ place: Coordinate) -> (x: Double, y: Double) {
      (place.longitude * cos(middle), place.latitude)
    }
    let (across, up) = (places.map { point($0).x }, places.map { point($0).y })
    let middles = (x: (across.min()! + across.max()!) / 2, y: (up.min()! + up.max()!) / 2)
    // The picture is twice as wide as high, and a metre is as long in both directions.
    let half = max(up.max()! - middles.y, (across.max()! - middles.x) / 2, 1e-6) * 1.1
    var drawing = Drawing(
      x: middles.x - 2 * half...middles.x + 2 * half, y: middles.y - half...middles.y + half)
    drawing.addLine(places.map(point), stroke: "#999")
    for kept in kept {
      drawing.addDot(
        point(kept.point.place), fill: kept.state == .background ? "#e60" : "#06c")
    }
    return drawing
  }
}
