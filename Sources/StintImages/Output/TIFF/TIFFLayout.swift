#if Images
/// Where everything but the pixels lies in a TIFF file.
///
/// The directory stands at the front with room for the offset and the length of every strip or
/// tile, so that the file is the only thing that is written, and a progress is three numbers
/// however large the image is.
struct TIFFLayout {
  /// The bytes before the pixels; the places of offsets and lengths are zero.
  let front: UnitBuffer
  /// Whether offsets have 64 bits (BigTIFF).
  let isBig: Bool
  /// Whether numbers have their most significant byte first, as the EXIF data in the file has.
  let isBigEndian: Bool
  /// Where the offsets of strips or tiles lie.
  private(set) var offsetsPosition = 0
  /// Where their lengths lie.
  private(set) var countsPosition = 0

  /// The bytes of an offset.
  var wordBytes: Int { isBig ? 8 : 4 }

  /// Lays a file out.
  ///
  /// - Parameters:
  ///   - fields: What the directory says besides what the EXIF data gives.
  ///   - isBig: Whether offsets have 64 bits.
  ///   - exif: What lies between the header and the directory; not with offsets of 64 bits, which
  ///     its own have not.
  ///   - isBigEndian: Whether numbers have their most significant byte first, without EXIF data.
  init(fields: [TIFFField], isBig: Bool, exif: ExifBlock? = nil, isBigEndian: Bool = false) {
    precondition(exif == nil || !isBig, "EXIF data has offsets of 32 bits")
    self.isBig = isBig
    self.isBigEndian = exif?.isBigEndian ?? isBigEndian
    let fields = Self.joined(fields, exif?.entries ?? [])
    let word = isBig ? 8 : 4
    let exifBytes = exif?.bytes.count ?? 0
    let headerBytes = (isBig ? 16 : 8) + exifBytes + exifBytes % 2
    let directoryBytes =
      isBig ? 8 + fields.count * 20 + 8 : 2 + fields.count * 12 + 4
    front = UnitBuffer(capacity: headerBytes + directoryBytes)
    let front = front
    let isBigEndian = self.isBigEndian
    let order = ByteOrder(isBigEndian: isBigEndian)
    front.append((isBigEndian ? "MM" : "II").utf8)
    if isBig {
      for number in [43, 8, 0] { order.append(number, bytes: 2, to: front) }
      order.append(headerBytes, bytes: 8, to: front)
      order.append(fields.count, bytes: 8, to: front)
    } else {
      order.append(42, bytes: 2, to: front)
      order.append(headerBytes, bytes: 4, to: front)
      if let exif { front.append(exif.bytes + Array(repeating: 0, count: exifBytes % 2)) }
      order.append(fields.count, bytes: 2, to: front)
    }
    // Values that do not fit into their field lie behind the directory, at even offsets.
    var position = headerBytes + directoryBytes
    var behind: [TIFFField] = []
    for field in fields.sorted(by: { $0.tag < $1.tag }) {
      order.append(Int(field.tag.rawValue), bytes: 2, to: front)
      order.append(Int(field.kind), bytes: 2, to: front)
      order.append(field.count, bytes: word, to: front)
      let isInside = field.sizeBytes <= word
      note(field.tag, position: isInside ? front.count : position)
      if isInside {
        let bytes = field.bytes(isBigEndian: isBigEndian) ?? []
        front.append(bytes + Array(repeating: 0, count: word - bytes.count))
      } else {
        order.append(position, bytes: word, to: front)
        behind.append(field)
        position += field.sizeBytes + field.sizeBytes % 2
      }
    }
    order.append(0, bytes: word, to: front)
    for field in behind {
      if let bytes = field.bytes(isBigEndian: isBigEndian) {
        front.append(bytes)
        if bytes.count % 2 == 1 { front.append(CollectionOfOne(0)) }
      } else {
        front.appendZeros(field.sizeBytes)
      }
    }
  }

  /// What the image says of itself comes before what its EXIF data says; what made it, the other
  /// way round.
  private static func joined(_ fields: [TIFFField], _ entries: [ExifBlock.Entry]) -> [TIFFField] {
    let own = fields.filter { field in
      field.tag != .software || !entries.contains { $0.tag == .software }
    }
    let more = entries.filter { entry in !own.contains { $0.tag == entry.tag } }
    return own
      + more.map {
        TIFFField(copying: $0.tag, kind: $0.kind.rawValue, count: $0.count, bytes: $0.value)
      }
  }

  private mutating func note(_ tag: TIFFField.Tag, position: Int) {
    if tag == .stripOffsets || tag == .tileOffsets { offsetsPosition = position }
    if tag == .stripByteCounts || tag == .tileByteCounts { countsPosition = position }
  }

  /// The bytes of offsets or lengths.
  func words(_ numbers: [Int]) -> UnitBuffer {
    let buffer = UnitBuffer(capacity: numbers.count * wordBytes)
    let order = ByteOrder(isBigEndian: isBigEndian)
    for number in numbers { order.append(number, bytes: wordBytes, to: buffer) }
    return buffer
  }

  /// Writes numbers of 2, 4 or 8 bytes.
  private struct ByteOrder {
    let isBigEndian: Bool

    func append(_ number: Int, bytes: Int, to buffer: UnitBuffer) {
      switch bytes {
      case 2: append(UInt16(number), to: buffer)
      case 4: append(UInt32(number), to: buffer)
      case _: append(UInt64(number), to: buffer)
      }
    }

    private func append(_ number: some FixedWidthInteger, to buffer: UnitBuffer) {
      if isBigEndian {
        buffer.append(bigEndian: number)
      } else {
        buffer.append(littleEndian: number)
      }
    }
  }
}
#endif
