#if Images
import StintCore

extension ImageSetLedger.State {
  /// Takes a line in that ends there.
  ///
  /// - Throws: ``StintError`` with the code `damaged` for a line that belongs to other work.
  mutating func apply(_ line: ImageSetLine, _ end: Int, _ plan: ImageSetPlan) throws {
    switch line {
    case .input(entries.count, let item, let identity):
      entries.append(.init(item: item, identity: identity))
    case .input(let place, let item, let identity):
      try check(place)
      guard entries[place].item.name == item.name else { throw ImageSetLedger.foreign }
      entries[place].begin(item, identity)
    case .list(let list):
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
      let name = plan.name(of: entries[unit.item].item, frame: unit.frame, of: result.frames)
      written[name, default: []].append(result)
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

  private func check(_ place: Int) throws {
    guard entries.indices.contains(place) else { throw ImageSetLedger.foreign }
  }

  /// Counts an input that is done or has failed.
  mutating func end(_ item: Int) {
    ended += 1
    endedBytes += entries[item].identity?.sizeBytes ?? 0
  }
}
#endif
