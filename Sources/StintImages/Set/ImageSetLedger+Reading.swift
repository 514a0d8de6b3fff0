#if Images
import StintRuntime
import StintCore

extension ImageSetLedger {
  /// The inputs that a ledger tells of, for a job that is resumed by its name alone.
  package struct List: Sendable {
    /// The inputs, in order.
    package var items: [ImageSetPlan.Item]
    /// How many the whole set has.
    package var wholeCount: Int
    /// Which of those these are, from 1.
    package var numbers: [Int]
    /// Which formats the user trusts.
    package var trusted: Set<UntrustedFormat>
    /// What is done about damaged files.
    package var damaged: DamagePolicy
    /// What failed before anything was made of it.
    package var refused: [ImageSetPlan.Refused] = []
  }

  /// The inputs that a ledger tells of.
  ///
  /// - Parameter bytes: The bytes of the file.
  /// - Returns: The inputs; nil if it has no whole list of them, or if a line of it is damaged.
  package static func list(in bytes: [UInt8]) -> List? {
    let reading = read(bytes)
    guard reading.damaged.isEmpty else { return nil }
    let most = reading.hasGaps ? reading.mostPlaces : 0
    var items: [ImageSetPlan.Item?] = []
    var list: List?
    for (line, _) in reading.lines {
      switch line {
      case .input(let place, let item, _):
        guard (0...max(items.count, most)).contains(place) else { return nil }
        while items.count <= place { items.append(nil) }
        items[place] = item
      case .list(let found):
        guard let places = found.numbers(below: items.count) else { return nil }
        let whole = found.wholeCount ?? places.count
        let listed = places.compactMap { items[$0] }
        guard whole >= places.count, listed.count == places.count,
          let numbers = found.numbers.map({
            ImageSetPlaces.numbers($0, upTo: whole, atMost: places.count)
          }) ?? Array(1..<places.count + 1), numbers.count == places.count
        else { return nil }
        list = List(
          items: listed, wholeCount: whole, numbers: numbers,
          trusted: found.trusted, damaged: found.damaged, refused: found.refused)
      case .head, .same, .done, .failed, .dropped: break
      }
    }
    return list
  }

  /// The lines of a ledger that are whole.
  static func lines(in bytes: [UInt8]) -> [ImageSetLine] { read(bytes).lines.map(\.line) }

  /// All inputs that a set has or had, as far as its ledger can be read.
  package static func items(in bytes: [UInt8]) -> [ImageSetPlan.Item] {
    var items: [Int: ImageSetPlan.Item] = [:]
    for case .input(let place, let item, _) in lines(in: bytes) { items[place] = item }
    return items.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The lines of a ledger, and where lines are that cannot be read.
  struct Reading {
    /// What can be read, and where each line ends.
    var lines: [(line: ImageSetLine, end: Int)] = []
    /// Lines that are none, without their newlines.
    var damaged: [Range<Int>] = []
    /// How many lines were damaged, and are blank since what they said was made good.
    var blankCount = 0
    /// Where the last line ends.
    var sizeBytes = 0

    /// Whether lines are lost, so that others may tell of inputs that no line describes.
    var hasGaps: Bool { !damaged.isEmpty || blankCount > 0 }

    /// No more inputs than there is room for in the file, whatever a line says.
    var mostPlaces: Int { sizeBytes / 64 }

    /// Whether the first line is that one, or is lost.
    func begins(with head: ImageSetLine) -> Bool {
      guard let first = lines.first?.line else { return true }
      if case .head = first { return first == head }
      return hasGaps
    }
  }

  /// All lines; half a line at the end is left out.
  static func read(_ bytes: [UInt8]) -> Reading {
    var reading = Reading()
    let newline = UInt8(ascii: "\n")
    while reading.sizeBytes < bytes.count {
      let start = reading.sizeBytes
      guard let end = bytes[start...].firstIndex(of: newline) else {
        // The newline itself may be another byte now.
        let end = bytes.count - 1
        guard let line = ImageSetLine(bytes[start..<end]) else { break }
        reading.lines.append((line, bytes.count))
        reading.damaged.append(end..<end)
        reading.sizeBytes = bytes.count
        break
      }
      reading.sizeBytes = end + 1
      let content = bytes[start..<end]
      if let line = ImageSetLine(content) {
        reading.lines.append((line, end + 1))
      } else if content.allSatisfy({ $0 == UInt8(ascii: " ") }) {
        reading.blankCount += 1
      } else {
        reading.damaged.append(start..<end)
      }
    }
    return reading
  }

  /// What the lines of a ledger come to.
  static func state(_ reading: Reading, _ plan: ImageSetPlan) throws -> State {
    var state = State()
    state.mostPlaces = reading.hasGaps ? reading.mostPlaces : 0
    for (line, end) in reading.lines { try state.apply(line, end, plan) }
    return state
  }
}
#endif
