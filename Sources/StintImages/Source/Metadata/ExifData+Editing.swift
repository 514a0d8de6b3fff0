#if Images
/// Changes a block of EXIF data so that it describes the result of the filters.
///
/// Nothing is moved: offsets in the notes of a maker, which only the maker can read, still hold.
/// What is removed is overwritten with zeros, because readers would find it even if nothing pointed
/// at it.
extension ExifData {
  private enum Tag {
    static let width = 0x0100
    static let height = 0x0101
    static let orientation = 0x0112
    static let resolutions = (x: 0x011A, y: 0x011B)
    static let focalPlaneResolutions = (x: 0xA20E, y: 0xA20F)
    static let exif = 0x8769
    static let gps = 0x8825
    static let pixelWidth = 0xA002
    static let pixelHeight = 0xA003
    static let interoperability = 0xA005
  }

  /// The entries that say where the pixels of a thumbnail are.
  private static let compressed = (offsets: 0x0201, counts: 0x0202)
  private static let strips = (offsets: 0x0111, counts: 0x0117)

  private static let short = 3
  private static let long = 4
  private static let undefined = 7
  /// The bytes of a value of each kind; the place is the kind's number.
  private static let valueBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
  /// How many directories of a kind are looked at; a usual block has three, and one of a thumbnail.
  private static let mostDirectories = 8

  // MARK: Changes

  /// Replaces whatever readers take for the orientation.
  ///
  /// libexif reads numbers of other kinds too, and the next entry where one is empty.
  mutating func set(orientation: Int) {
    for place in entries(of: first) where tag(place) == Tag.orientation {
      set(place, kind: Self.short, value: orientation)
    }
  }

  /// Replaces the width and the height in pixels where the data has them.
  mutating func set(width: Int, height: Int) {
    for directory in directories(withPlace: false) {
      for place in entries(of: directory) {
        switch tag(place) {
        case Tag.width, Tag.pixelWidth: set(place, kind: Self.long, value: width)
        case Tag.height, Tag.pixelHeight: set(place, kind: Self.long, value: height)
        case _: break
        }
      }
    }
  }

  /// Makes the horizontal resolution the vertical one, for pixels that were turned by a quarter.
  mutating func swapResolutions() {
    for directory in directories(withPlace: false) {
      let entries = entries(of: directory)
      for tags in [Tag.resolutions, Tag.focalPlaneResolutions] {
        guard let x = entries.first(where: { tag($0) == tags.x }),
          let y = entries.first(where: { tag($0) == tags.y })
        else { continue }
        // All but the tags themselves: the kind, how many, and where the value is.
        for offset in 2..<Self.entryBytes { bytes.swapAt(x + offset, y + offset) }
      }
    }
  }

  /// Removes the small images, which show what the source showed.
  ///
  /// They are in the directories that follow the first one, and libexif finds them in any.
  mutating func removeThumbnails() {
    let stay = directories(withPlace: true)
    var images = RangeSet<Int>()
    var rest = RangeSet<Int>()
    for directory in stay {
      images.formUnion(self.images(of: directory, named: Self.compressed))
    }
    var next = following(first)
    for _ in 0..<Self.mostDirectories {
      guard let directory = next else { break }
      for names in [Self.compressed, Self.strips] {
        images.formUnion(self.images(of: directory, named: names))
      }
      rest.formUnion(everything(of: directory, withNotes: true))
      next = following(directory)
    }
    if following(first) != nil { put(0, at: range(of: first).upperBound - 4, bytes: 4) }
    for directory in stay {
      remove([Self.compressed.offsets, Self.compressed.counts], from: directory)
      // A writer may let two directories share a value.
      rest.subtract(everything(of: directory, withNotes: false))
    }
    clear(images.union(rest), except: stay)
  }

  /// Removes the directory of GPS.
  mutating func removePlace() {
    var values = RangeSet<Int>()
    let stay = directories(withPlace: false)
    for directory in stay {
      for place in entries(of: directory) where tag(place) == Tag.gps {
        guard let gps = number(at: place + 8, bytes: 4) else { continue }
        values.formUnion(everything(of: gps, withNotes: true))
      }
      remove([Tag.gps], from: directory)
    }
    clear(values, except: stay)
  }

  // MARK: Directories

  /// The directories that describe the image, but for its thumbnail.
  ///
  /// Each of them may point at others.
  private func directories(withPlace: Bool) -> [Int] {
    let tags = [Tag.exif, Tag.interoperability] + (withPlace ? [Tag.gps] : [])
    var found = [first]
    var index = 0
    while index < found.count {
      for place in entries(of: found[index]) where tags.contains(tag(place)) {
        guard let directory = number(at: place + 8, bytes: 4), directory >= Self.headerBytes,
          !found.contains(directory), number(at: directory, bytes: 2) != nil,
          found.count < Self.mostDirectories
        else { continue }
        found.append(directory)
      }
      index += 1
    }
    return found
  }

  /// The places of a directory's entries; of one that was cut, those that are there.
  private func entries(of directory: Int) -> [Int] {
    guard let count = number(at: directory, bytes: 2) else { return [] }
    let whole = min(count, (bytes.count - directory - 2) / Self.entryBytes)
    return (0..<whole).map { directory + 2 + Self.entryBytes * $0 }
  }

  /// Where a directory lies, with the offset of the next one behind its entries.
  private func range(of directory: Int) -> Range<Int> {
    let entries = entries(of: directory).count
    let end = min(bytes.count, directory + 2 + Self.entryBytes * entries + 4)
    return min(directory, end)..<end
  }

  /// Where the directory is that follows one; nil if there is none.
  private func following(_ directory: Int) -> Int? {
    guard let count = number(at: directory, bytes: 2),
      let next = number(at: directory + 2 + Self.entryBytes * count, bytes: 4),
      next >= Self.headerBytes
    else { return nil }
    return next
  }

  private func tag(_ place: Int) -> Int { number(at: place, bytes: 2) ?? 0 }

  /// Where the values of an entry are that do not fit into it; as far as they lie in the data.
  private func values(of place: Int) -> Range<Int>? {
    guard let kind = number(at: place + 2, bytes: 2), Self.valueBytes.indices.contains(kind),
      let count = number(at: place + 4, bytes: 4), count * Self.valueBytes[kind] > 4
    else { return nil }
    return part(number(at: place + 8, bytes: 4), count * Self.valueBytes[kind])
  }

  /// A directory and its values; with those of no kind, which may be as long as a maker likes.
  private func everything(of directory: Int, withNotes: Bool) -> RangeSet<Int> {
    var ranges = RangeSet(range(of: directory))
    for place in entries(of: directory) {
      if !withNotes, number(at: place + 2, bytes: 2) == Self.undefined { continue }
      if let values = values(of: place) { ranges.insert(contentsOf: values) }
    }
    return ranges
  }

  /// Where the pixels of a thumbnail are that a directory has.
  private func images(
    of directory: Int, named names: (offsets: Int, counts: Int)
  ) -> RangeSet<Int> {
    let entries = entries(of: directory)
    func numbers(_ wanted: Int) -> [Int] {
      entries.first { tag($0) == wanted }.map { self.numbers(of: $0) } ?? []
    }
    var ranges = RangeSet<Int>()
    for (offset, count) in zip(numbers(names.offsets), numbers(names.counts)) {
      if let part = part(offset, count) { ranges.insert(contentsOf: part) }
    }
    return ranges
  }

  /// The values of an entry of whole numbers.
  private func numbers(of place: Int) -> [Int] {
    let kind = number(at: place + 2, bytes: 2)
    guard kind == Self.short || kind == Self.long, let count = number(at: place + 4, bytes: 4)
    else { return [] }
    let size = kind == Self.short ? 2 : 4
    let values = values(of: place) ?? place + 8..<place + 8 + min(4, count * size)
    return stride(from: values.lowerBound, to: values.upperBound, by: size)
      .compactMap { number(at: $0, bytes: size) }
  }

  /// What of a range lies in the data; nil if nothing does.
  private func part(_ offset: Int?, _ count: Int) -> Range<Int>? {
    guard let offset, offset < bytes.count, count > 0 else { return nil }
    return offset..<min(bytes.count, offset + count)
  }

  // MARK: Bytes

  private mutating func put(_ number: Int, at offset: Int, bytes count: Int) {
    let digits = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    bytes.replaceSubrange(offset..<offset + count, with: isBigEndian ? digits.reversed() : digits)
  }

  /// Makes an entry one number.
  private mutating func set(_ place: Int, kind: Int, value: Int) {
    put(kind, at: place + 2, bytes: 2)
    put(1, at: place + 4, bytes: 4)
    put(0, at: place + 8, bytes: 4)
    put(value, at: place + 8, bytes: kind == Self.short ? 2 : 4)
  }

  /// Takes entries out of a directory; those behind them move up.
  private mutating func remove(_ tags: [Int], from directory: Int) {
    let places = entries(of: directory)
    let left = places.filter { !tags.contains(tag($0)) }
    guard left.count < places.count else { return }
    let range = range(of: directory)
    let behind = range.lowerBound + 2 + Self.entryBytes * places.count..<range.upperBound
    let moved = left.flatMap { bytes[$0..<$0 + Self.entryBytes] } + bytes[behind]
    let zeros = range.count - 2 - moved.count
    bytes.replaceSubrange(
      range.lowerBound + 2..<range.upperBound, with: moved + [UInt8](repeating: 0, count: zeros))
    put(left.count, at: directory, bytes: 2)
  }

  /// Overwrites ranges, but for the header and the directories that stay.
  private mutating func clear(_ ranges: RangeSet<Int>, except directories: [Int]) {
    var ranges = ranges
    ranges.remove(contentsOf: 0..<Self.headerBytes)
    for directory in directories { ranges.remove(contentsOf: range(of: directory)) }
    for range in ranges.ranges {
      for index in range { bytes[index] = 0 }
    }
  }
}
#endif
