#if Images
import StintRuntime

/// Rows that their owner keeps unchanged while threads read them.
struct LentRows: @unchecked Sendable {
  // Unchecked: nobody writes to them meanwhile.
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The bytes from an offset on: that many, or all that are left.
  func piece(at offset: Int, atMost count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + count, bytes.count)])
  }
}

/// Independent units of work that are encoded on several threads and written in order.
struct UnitRun {
  /// How many units there are.
  let count: Int
  /// The bytes that a unit is made of.
  let unitBytes: Int

  /// Encodes a few units for each thread at a time, and writes them.
  ///
  /// - Parameters:
  ///   - threads: How many encode.
  ///   - stopFlag: Looked at before each batch; once it is raised, the rest is left.
  ///   - encode: Makes the unit with this number; called on any thread.
  ///   - write: Called on this thread with each unit, in order.
  /// - Throws: The first error of either; units before it are written.
  func forEach<Unit: Sendable>(
    threads: Int, stopFlag: StopFlag?,
    encode: @escaping @Sendable (Int) throws -> Unit, write: (Int, Unit) throws -> Void
  ) throws {
    let threads = max(1, threads)
    // Several units a thread, so that none waits long for the others; large ones are few, for the
    // sake of memory.
    let perThread = max(1, min(8, (8 << 20) / max(1, unitBytes)))
    var next = 0
    while next < count, stopFlag?.isRaised != true {
      let first = next
      let size = min(threads * perThread, count - first)
      let units = try Parallel.map(count: size, threads: threads) { try encode(first + $0) }
      for (index, unit) in units.enumerated() { try write(first + index, unit) }
      next += size
    }
  }
}

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
