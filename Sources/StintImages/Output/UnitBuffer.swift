#if Images
import StintRuntime

/// The bytes of a unit while it is made: grows at its end, without being filled with zeros first.
///
/// One thread at a time has it.
final class UnitBuffer: @unchecked Sendable {
  // Unchecked: made by one thread, then handed to the one that writes it.
  private(set) var count = 0
  private var capacity: Int
  private var base: UnsafeMutableRawPointer

  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  /// Lends the bytes so far; the body must not append.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: base, count: count)) }
  }

  func write(to file: any PartialFile, at offset: Int) throws {
    try withBytes { try file.write($0, at: offset) }
  }

  /// Room for that many more bytes, to be counted with ``advance(by:)``.
  func room(_ needed: Int) -> UnsafeMutableRawBufferPointer {
    if capacity - count < needed {
      capacity = max(count + needed, capacity + capacity / 2)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      larger.copyMemory(from: base, byteCount: count)
      base.deallocate()
      base = larger
    }
    return UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
  }

  /// Counts bytes that were written into the room.
  func advance(by written: Int) {
    precondition(written >= 0 && count + written <= capacity, "a unit's bytes fit into its room")
    count += written
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    room(bytes.count).baseAddress?.copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  func append(_ bytes: some Collection<UInt8>) {
    room(bytes.count).copyBytes(from: bytes)
    count += bytes.count
  }

  func appendZeros(_ size: Int) {
    room(size).baseAddress?.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    count += size
  }

  /// Appends a number, most significant byte first.
  func append(bigEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { append($0) }
  }

  /// Appends a number, least significant byte first.
  func append(littleEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  /// Puts a number into bytes that are there already, most significant byte first.
  func put(bigEndian number: some FixedWidthInteger, at offset: Int) {
    let size = MemoryLayout.size(ofValue: number)
    precondition(offset >= 0 && offset + size <= count, "only bytes that are there are replaced")
    (base + offset).storeBytes(of: number.bigEndian, as: type(of: number))
  }
}
#endif
