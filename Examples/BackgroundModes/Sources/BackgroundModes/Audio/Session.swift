import Dispatch
import Foundation
import Stint
import Synchronization

/// Plays through a trip to the background: a player, what drives it, and what is told of it.
final class Session: Sendable {
  private struct State {
    var player: Player
    var piece: String?
    var changes: [(piece: String?, at: Duration)] = []
    var failure: (any Error)?
  }

  private let state: Mutex<State>
  private let observers = Mutex<[PeriodicObserver]>([])
  private let elapsed: @Sendable () -> Duration

  /// Begins to play: buffers on a queue of their own, changes of the piece on the main queue.
  init(
    _ player: Player, to sink: some Sink, in application: Application,
    elapsed: @escaping @Sendable () -> Duration,
    onChange: @escaping @Sendable (String?) -> Void = { _ in }
  ) {
    state = Mutex(State(player: player))
    self.elapsed = elapsed
    // What it is ahead is there before the listener begins.
    pace(sink)
    let pacer = application.addPeriodicObserver(
      every: .milliseconds(10), on: DispatchQueue(label: "music")
    ) { [weak self] in self?.pace(sink) }
    let watcher = application.addPeriodicObserver(every: .milliseconds(10)) { [weak self] in
      self?.observe(onChange)
    }
    observers.withLock { $0 = [pacer, watcher] }
  }

  /// The player, as it is now.
  var player: Player { state.withLock { $0.player } }

  /// What was heard when: the name of each piece, nil after the last.
  var changes: [(piece: String?, at: Duration)] { state.withLock { $0.changes } }

  /// Why the sound could not be handed over, if it could not.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Whether the last piece is over, or the sound cannot be handed over.
  var isOver: Bool {
    state.withLock { $0.changes.last.map { $0.piece == nil } ?? false || $0.failure != nil }
  }

  /// Stops.
  func end() {
    for observer in observers.withLock({ $0 }) { observer.remove() }
  }

  /// How far ahead the sound was, over the pieces, and the trip to the background.
  func drawing(background: ClosedRange<Double>?) -> Drawing {
    let player = player
    let starts = player.starts
    var drawing = Drawing(x: 0...(starts.last ?? 1), y: -50...250)
    for (index, piece) in player.pieces.enumerated() {
      drawing.addBand(
        starts[index]...starts[index + 1], fill: index % 2 == 0 ? "#dde" : "#eee", label: piece.name
      )
    }
    if let background { drawing.addBand(background, fill: "#fc8", label: "") }
    drawing.addLine([(0, 0), (starts.last ?? 1, 0)], stroke: "#c00")
    drawing.addLine(
      player.levels.map { ($0.at.inSeconds, $0.bufferedMilliseconds) }, stroke: "#06c")
    return drawing
  }

  private func pace(_ sink: some Sink) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do {
        try state.player.tick(sink, at: elapsed())
      } catch {
        state.failure = error
      }
    }
  }

  private func observe(_ onChange: @Sendable (String?) -> Void) {
    let now = elapsed()
    let change = state.withLock { state -> String?? in
      let piece = state.player.piece(at: now)?.name
      guard state.changes.isEmpty || piece != state.piece else { return nil }
      state.piece = piece
      state.changes.append((piece, now))
      return .some(piece)
    }
    if let change { onChange(change) }
  }
}
