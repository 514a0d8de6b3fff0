#if Images
import StintCore

extension ImageSetLedger.State {
  /// Takes a line in that ends there.
  ///
  /// - Throws: ``StintError`` with the code `damaged` for a line that belongs to other work.
  mutating func apply(_ line: ImageSetLine, _ end: Int, _ plan: ImageSetPlan) throws {
    switch line {
    case .input(let place, let item, let identity):
      if place > 0 { fill(through: place - 1) }
      guard place != entries.count else {
        return entries.append(.init(item: item, identity: identity))
      }
      try check(place)
      if entries[place].isUnknown {
        identify(place, as: item, plan)
      } else if entries[place].item.name != item.name {
        throw ImageSetLedger.foreign
      }
      entries[place].begin(item, identity)
    case .list(let list):
      if let last = list.places.map(\.upperBound).max() { fill(through: last) }
      guard let places = list.numbers(below: entries.count) else { throw ImageSetLedger.foreign }
      (self.list, order) = (list, places)
    case .same(let place, let identity):
      try check(place)
      entries[place].keep(identity)
    case .done(let unit, let result):
      try check(unit.item)
      entries[unit.item].results[unit.frame] = result
      entries[unit.item].frames = result.frames
      entries[unit.item].endedAt[unit.frame] = end
      if entries[unit.item].isUnknown {
        strays.append(result)
      } else {
        write(result, of: unit, plan)
      }
    case .failed(let place, let error):
      try check(place)
      entries[place].failure = error
      entries[place].failedAt = end
    case .dropped(let unit):
      try check(unit.item)
      entries[unit.item].endedAt[unit.frame] = end
    case .head:
      guard entries.isEmpty, list == nil else { throw ImageSetLedger.foreign }
    }
  }

  private mutating func write(
    _ result: ImageSetResult, of unit: ImageSetPlan.Unit, _ plan: ImageSetPlan
  ) {
    let name = plan.name(of: entries[unit.item].item, frame: unit.frame, of: result.frames)
    written[name, default: []].append(result)
  }

  /// Makes places for inputs whose lines are lost, up to one that another line tells of.
  private mutating func fill(through place: Int) {
    guard place < mostPlaces else { return }
    while entries.count <= place {
      entries.append(.init(item: .unknown, isUnknown: true))
    }
  }

  /// Learns what an input is of which other lines have told already.
  private mutating func identify(
    _ place: Int, as item: ImageSetPlan.Item, _ plan: ImageSetPlan
  ) {
    (entries[place].item, entries[place].isUnknown) = (item, false)
    for (frame, result) in entries[place].results.sorted(by: { $0.key < $1.key }) {
      write(result, of: .init(item: place, frame: frame), plan)
    }
  }

  private mutating func check(_ place: Int) throws {
    fill(through: place)
    guard entries.indices.contains(place) else { throw ImageSetLedger.foreign }
  }

  /// Counts an input that is done or has failed.
  mutating func end(_ item: Int) {
    ended += 1
    endedBytes += entries[item].identity?.sizeBytes ?? 0
  }
}
#endif
