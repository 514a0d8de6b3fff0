#if Images
import StintRuntime
import StintCore

/// One directory of a TIFF file, as far as it says how pixels are stored (TIFF 6.0, section 2;
/// BigTIFF for 64-bit offsets).
///
/// Nothing in it is trusted: whatever does not fit the file makes no table.
struct TIFFTable {
  /// The values of a field, as their bytes stand in the file.
  struct Entry {
    let kind: UInt16
    let count: Int
    let bytes: [UInt8]
  }

  typealias Tag = TIFFField.Tag

  /// Whether numbers begin with their least significant byte.
  let isLittleEndian: Bool
  /// The fields by their tags.
  private let entries: [Tag: Entry]

  /// The bytes of a value of each kind; the place is the kind's number.
  private static let valueBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
  /// Tables of strips for ten million rows.
  private static let mostBytes = 80_000_000

  /// Reads the directory of a page.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - page: The place of the directory in the file's chain, from 0.
  ///   - tags: The fields that are wanted.
  init?(of file: SourceFile, page: Int, tags: Set<Tag>) {
    var reader = Reader(file: file)
    guard let head = reader.bytes(at: 0, count: 16) else { return nil }
    switch (head[0], head[1]) {
    case (0x49, 0x49): reader.isLittleEndian = true
    case (0x4D, 0x4D): reader.isLittleEndian = false
    case _: return nil
    }
    isLittleEndian = reader.isLittleEndian
    let isBig: Bool
    switch reader.number(head[2..<4]) {
    case 42: isBig = false
    case 43 where reader.number(head[4..<6]) == 8: isBig = true
    case _: return nil
    }
    let word = isBig ? 8 : 4
    var place = reader.number(isBig ? head[8..<16] : head[4..<8])
    for _ in 0..<page {
      guard let next = reader.next(after: place, isBig: isBig) else { return nil }
      place = next
    }
    guard let fields = reader.fields(at: place, isBig: isBig) else { return nil }
    var entries: [Tag: Entry] = [:]
    for field in fields {
      let tag = Tag(integerLiteral: UInt16(reader.number(field.prefix(2))))
      // Of a field that stands twice the first counts, as for libtiff.
      guard tags.contains(tag), entries[tag] == nil else { continue }
      let values = field.dropFirst(4)
      let kind = UInt16(reader.number(field.dropFirst(2).prefix(2)))
      let count = reader.number(values.prefix(word))
      guard Int(kind) < Self.valueBytes.count, count > 0, count <= Self.mostBytes,
        Self.valueBytes[Int(kind)] > 0
      else { return nil }
      let size = count * Self.valueBytes[Int(kind)]
      guard size <= Self.mostBytes else { return nil }
      let inline = values.dropFirst(word)
      guard
        let bytes = size <= word
          ? Array(inline.prefix(size))
          : reader.bytes(at: reader.number(inline.prefix(word)), count: size)
      else { return nil }
      entries[tag] = Entry(kind: kind, count: count, bytes: bytes)
    }
    self.entries = entries
  }

  /// The values of a field as they stand in the file.
  subscript(_ tag: Tag) -> Entry? { entries[tag] }

  /// The values of a field of whole numbers; nil if there is none.
  func numbers(_ tag: Tag) -> [Int]? {
    guard let entry = entries[tag] else { return nil }
    let size = Self.valueBytes[Int(entry.kind)]
    // Bytes, and whole numbers of 16, 32 and 64 bits.
    guard [1, 3, 4, 16].contains(entry.kind) else { return nil }
    return (0..<entry.count).map {
      Self.number(entry.bytes[$0 * size..<($0 + 1) * size], isLittleEndian: isLittleEndian)
    }
  }

  /// The only value of a field, or the first.
  func number(_ tag: Tag) -> Int? { numbers(tag)?.first }

  /// Whether pieces are zlib streams; two numbers stand for that (Adobe's Technical Note of 2002).
  var isDeflated: Bool { [8, 32_946].contains(number(Tag.compression) ?? 1) }

  /// A number of up to 8 bytes; beyond 63 bits, a number larger than any file.
  private static func number(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> Int {
    var number: UInt64 = 0
    for byte in isLittleEndian ? ArraySlice(bytes.reversed()) : bytes {
      number = number << 8 | UInt64(byte)
    }
    return Int(clamping: number)
  }

  /// What looks into the file.
  private struct Reader {
    let file: SourceFile
    var isLittleEndian = true

    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      TIFFTable.number(bytes, isLittleEndian: isLittleEndian)
    }

    func bytes(at offset: Int, count: Int) -> [UInt8]? { file.bytes(at: offset, count: count) }

    /// The fields of a directory, each as its bytes.
    func fields(at place: Int, isBig: Bool) -> [ArraySlice<UInt8>]? {
      let entryBytes = isBig ? 20 : 12
      guard let count = fieldCount(at: place, isBig: isBig),
        let bytes = bytes(at: place + (isBig ? 8 : 2), count: count * entryBytes)
      else { return nil }
      return (0..<count).map { bytes[$0 * entryBytes..<($0 + 1) * entryBytes] }
    }

    /// Where the directory stands that follows one in the chain.
    func next(after place: Int, isBig: Bool) -> Int? {
      guard let count = fieldCount(at: place, isBig: isBig),
        let bytes = bytes(
          at: place + (isBig ? 8 + 20 * count : 2 + 12 * count), count: isBig ? 8 : 4)
      else { return nil }
      let next = number(bytes[...])
      return next > 0 ? next : nil
    }

    private func fieldCount(at place: Int, isBig: Bool) -> Int? {
      guard let bytes = bytes(at: place, count: isBig ? 8 : 2) else { return nil }
      let count = number(bytes[...])
      // A tag is a number of 16 bits and stands once.
      return (1...65_536).contains(count) ? count : nil
    }
  }
}

extension SourceFile {
  /// Some bytes of the file; nil if the file ends before them or they cannot be read.
  func bytes(at offset: Int, count: Int) -> [UInt8]? { try? read(at: offset, count: count) }

  /// Some bytes of the file; nil if the file ends before them.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func read(at offset: Int, count: Int) throws(StintError) -> [UInt8]? {
    guard offset >= 0, count >= 0, offset <= identity.sizeBytes,
      count <= identity.sizeBytes - offset
    else { return nil }
    var failure: StintError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let raw = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      do throws(StintError) {
        filled = try PosixFileSystem().readAll(file, into: raw, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes.count == count ? bytes : nil
  }
}
#endif
