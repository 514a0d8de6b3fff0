#if Images
package import StintRuntime
import StintCore

/// At which image a set stood still: the file `standing` among the job's partial files, and the
/// same in memory.
///
/// A stint that ends for lack of time with nothing new is noted with the place at which it stood.
/// After two in a row at one place, the image there is more than the budget holds, and the others
/// go on without it.
final class ImageSetStanding: Sendable {
  /// Where a set stands.
  struct Place: Hashable, Sendable {
    /// The image, or the first of the group, that comes next.
    var unit: ImageSetPlan.Unit
    /// How far it is.
    var position: String
  }

  static let fileName = "standing"
  /// So many stints in a row at one place are enough: one less than those that end the whole job
  /// (W13).
  private static let most = WorkPolicy().stintsWithoutProgress - 1

  private let state = Protected<(place: Place, stints: Int)?>(nil)

  /// Takes note of a stint that came no further; a file that cannot be written is no reason to
  /// stop.
  func stoodStill(at place: Place, in workspace: any Workspace) {
    let stints = state.withLock { state in
      let stints = (state.map { $0.place == place ? $0.stints : 0 } ?? 0) + 1
      state = (place, stints)
      return stints
    }
    var json = JSONLine()
    json.add("place", place.unit.item)
    json.add("frame", place.unit.frame)
    json.add("position", place.position)
    json.add("stints", stints)
    let line = SealedLine.sealed(json)
    guard let file = try? workspace.partialFile(named: Self.fileName),
      (try? file.truncate(to: 0)) != nil
    else { return }
    try? line.withUnsafeBytes { try file.write($0, at: 0) }
  }

  /// Begins anew: the image is tried again when nothing else is left.
  func forget(in workspace: any Workspace) throws {
    state.withLock { $0 = nil }
    try workspace.removePartialFile(named: Self.fileName)
  }

  /// Reads what earlier processes noted; a file that is not whole says nothing.
  func load(in workspace: any Workspace) throws {
    let file = try workspace.partialFile(named: Self.fileName)
    guard try (1...1000).contains(file.sizeBytes),
      let object = SealedLine.object(try file.contents().dropLast()),
      let stints: Int = try? object.integer("stints"), (1..<Int.max).contains(stints),
      let item: Int = try? object.integer("place"),
      let frame: Int = try? object.integer("frame"),
      let position = try? object.text("position")
    else { return }
    let place = Place(unit: .init(item: item, frame: frame), position: position)
    state.withLock { $0 = (place, stints) }
  }

  /// Whether an image is to be worked on by itself, because its group came no further.
  func isAlone(_ unit: ImageSetPlan.Unit) -> Bool {
    state.withLock { $0?.place.unit == unit }
  }

  /// How many stints in a row came no further than a place, if they are too many.
  func stints(at place: Place) -> Int? {
    state.withLock { state in
      guard let state, state.place == place, state.stints >= Self.most else { return nil }
      return state.stints
    }
  }
}

extension PartialFile {
  func contents() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: try sizeBytes)
    try bytes.withUnsafeMutableBytes { try read(into: $0, at: 0) }
    return bytes
  }
}

extension ImageSetComputation {
  package func stintWasFruitless(at state: ImageSetState, in workspace: any Workspace) {
    guard let place = place(of: state) else { return }
    standing.stoodStill(at: place, in: workspace)
  }

  /// Where a state stands; nil if nothing is left.
  func place(of state: ImageSetState) -> ImageSetStanding.Place? {
    guard let current = state.current, !ledger.isSettled(current.unit) else {
      return ledger.next(1).first.map { .init(unit: $0, position: "waiting") }
    }
    switch current.phase {
    case .reading(let pieces):
      return .init(unit: current.unit, position: "reading \(pieces.count)")
    case .checking(_, _, let output):
      return .init(unit: current.unit, position: "checking \(output.checkedBytes)")
    case .working(_, let inner):
      guard let computation = open.computation(current.unit) else { return nil }
      let progress = computation.outlook(of: inner).progress
      return .init(
        unit: current.unit, position: "\(progress.phase) \(progress.fraction.bitPattern)")
    }
  }

  /// The failure of an image that two stints came no further with; nil for all others.
  func tooLong(_ state: ImageSetState) -> InputFailure? {
    guard let current = state.current, let place = place(of: state), place.unit == current.unit,
      let stints = standing.stints(at: place)
    else { return nil }
    let path = ledger.item(current.unit.item).path
    let advice = open.computation(current.unit).map { hooks.advise(ImageEstimate($0)) } ?? ""
    return InputFailure(
      error: StintError(
        .noProgress,
        "The next step of \(path) takes longer than a stint: \(stints) in a row came no further with it."
          + advice))
  }
}
#endif
