#if Images
import StintCore
import StintRuntime

/// The inputs of a set whose parts take them in turn, as they were when it was submitted
/// (`docs/formats/image-files.md`).
///
/// An input keeps its place, and so its part, when the set grows or shrinks.
package struct FrozenImageList: Hashable, Sendable {
  /// No list is longer than this.
  package static let mostBytes = 256 << 20

  /// The first line of a list.
  package struct Head: Hashable, Sendable {
    /// No first line is longer than this.
    package static let mostBytes = 1024
    private static let event = "items"
    private static let version = 1

    /// What tells the work from others.
    package var work: String
    /// How many places the list has.
    package var count: Int

    init(work: String, count: Int) { (self.work, self.count) = (work, count) }

    /// Reads the first line of a file; nil if that is no list.
    package init?(_ bytes: [UInt8]) {
      guard let line = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first,
        let object = SealedLine.object(line), object["event"]?.text == Self.event,
        let version: Int = object["version"]?.integer(), version == Self.version,
        let work = object["work"]?.text, let count: Int = object["count"]?.integer()
      else { return nil }
      self.init(work: work, count: count)
    }

    fileprivate var encoded: [UInt8] {
      var json = JSONLine()
      json.add("event", Self.event)
      json.add("version", Self.version)
      json.add("work", work)
      json.add("count", count)
      return SealedLine.sealed(json)
    }
  }

  /// Every input that the set has or had, by its place.
  package let items: [ImageSetPlan.Item]
  /// The places of the inputs that it has, in order.
  package let places: [Int]
  /// What fails before anything is made of it.
  package let refused: [ImageSetPlan.Refused]

  /// The inputs that the set has.
  package var current: [ImageSetPlan.Item] { places.map { items[$0] } }

  /// Makes the list of a set.
  ///
  /// Inputs that an earlier list has keep their places there; others follow, in the order of their
  /// paths.
  ///
  /// - Parameters:
  ///   - plan: The inputs that the set has now, no two of which have results of the same name.
  ///   - known: The earlier list; nil if there is none.
  package init(_ plan: ImageSetPlan, after known: FrozenImageList? = nil) {
    var items = known?.items ?? []
    var known: [FilePath: Int] = [:]
    for (place, item) in items.enumerated() { known[item.name] = place }
    var places: [Int] = []
    for item in plan.items.sorted(by: { $0.path < $1.path }) {
      let place = known[item.name] ?? items.count
      if place == items.count { items.append(item) } else { items[place] = item }
      places.append(place)
    }
    (self.items, self.places, refused) = (items, places.sorted(), plan.refused)
  }

  /// Reads a file; nil if a line of it is missing or damaged.
  package init?(_ bytes: [UInt8]) {
    guard let head = Head(bytes), let first = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    let reading = ImageSetLedger.read(Array(bytes[(first + 1)...]))
    guard !reading.hasGaps, case .list(let list) = reading.lines.last?.line else { return nil }
    var items: [ImageSetPlan.Item] = []
    for (line, _) in reading.lines.dropLast() {
      guard case .input(let place, let item, _) = line, place == items.count else { return nil }
      items.append(item)
    }
    guard items.count == head.count, Set(items.map(\.name)).count == items.count,
      let places = list.numbers(below: items.count), Set(places).count == places.count
    else { return nil }
    (self.items, self.places, refused) = (items, places, list.refused)
  }

  /// The bytes of the file.
  ///
  /// - Parameter work: What tells the work from others.
  /// - Returns: Lines of JSON.
  package func encoded(work: String) -> [UInt8] {
    var bytes = Head(work: work, count: items.count).encoded
    for (place, item) in items.enumerated() {
      bytes += ImageSetLine.input(place, item, nil).encoded
    }
    return bytes + ImageSetLine.list(ImageSetPlaces(places, of: nil, refused: refused)).encoded
  }
}
#endif
