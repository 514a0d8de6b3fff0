#if Images
/// Where everything but the pixels lies in a TIFF file.
///
/// The directory stands at the front with room for the offset and the length of every strip or tile, so that the file is the
/// only thing that is written, and a progress is three numbers however large the image is.
struct TIFFLayout {
  /// The bytes before the pixels; the places of offsets and lengths are zero.
  let front: UnitBuffer
  /// Whether offsets have 64 bits (BigTIFF).
  let isBig: Bool
  /// Where the offsets of strips or tiles lie.
  private(set) var offsetsPosition = 0
  /// Where their lengths lie.
  private(set) var countsPosition = 0

  /// The bytes of an offset.
  var wordBytes: Int { isBig ? 8 : 4 }

  init(fields: [TIFFField], isBig: Bool) {
    self.isBig = isBig
    let word = isBig ? 8 : 4
    let headerBytes = isBig ? 16 : 8
    let directoryBytes =
      isBig ? 8 + fields.count * 20 + 8 : 2 + fields.count * 12 + 4
    front = UnitBuffer(capacity: headerBytes + directoryBytes)
    let front = front
    front.append("II".utf8)
    if isBig {
      for number in [43, 8, 0] { front.append(littleEndian: UInt16(number)) }
      front.append(littleEndian: UInt64(headerBytes))
      front.append(littleEndian: UInt64(fields.count))
    } else {
      front.append(littleEndian: UInt16(42))
      front.append(littleEndian: UInt32(headerBytes))
      front.append(littleEndian: UInt16(fields.count))
    }
    // Values that do not fit into their field lie behind the directory, at even offsets.
    var position = headerBytes + directoryBytes
    var behind: [TIFFField] = []
    for field in fields.sorted(by: { $0.tag < $1.tag }) {
      front.append(littleEndian: field.tag.rawValue)
      front.append(littleEndian: field.kind.rawValue)
      Self.append(field.count, bytes: word, to: front)
      let isInside = field.sizeBytes <= word
      note(field.tag, position: isInside ? front.count : position)
      if isInside {
        let bytes = field.bytes ?? []
        front.append(bytes + Array(repeating: 0, count: word - bytes.count))
      } else {
        Self.append(position, bytes: word, to: front)
        behind.append(field)
        position += field.sizeBytes + field.sizeBytes % 2
      }
    }
    Self.append(0, bytes: word, to: front)
    for field in behind {
      if let bytes = field.bytes {
        front.append(bytes)
        if bytes.count % 2 == 1 { front.append(CollectionOfOne(0)) }
      } else {
        front.appendZeros(field.sizeBytes)
      }
    }
  }

  private mutating func note(_ tag: TIFFField.Tag, position: Int) {
    if tag == .stripOffsets || tag == .tileOffsets { offsetsPosition = position }
    if tag == .stripByteCounts || tag == .tileByteCounts { countsPosition = position }
  }

  private static func append(_ number: Int, bytes: Int, to buffer: UnitBuffer) {
    if bytes == 8 {
      buffer.append(littleEndian: UInt64(number))
    } else {
      buffer.append(littleEndian: UInt32(number))
    }
  }

  /// The bytes of offsets or lengths.
  func words(_ numbers: [Int]) -> UnitBuffer {
    let buffer = UnitBuffer(capacity: numbers.count * wordBytes)
    for number in numbers { Self.append(number, bytes: wordBytes, to: buffer) }
    return buffer
  }
}
#endif
