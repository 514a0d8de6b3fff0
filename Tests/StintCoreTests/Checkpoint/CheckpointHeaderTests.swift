import StintCore
import Testing

@Suite("Checkpoint header")
struct CheckpointHeaderTests {
  /// A checksum for tests alone: FNV-1a with 64 bits, from both ends.
  static func digest(_ bytes: [UInt8]) -> Checksum128 {
    func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
      bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
    return Checksum128(high: hash(bytes), low: hash(bytes.reversed()))
  }

  static let header = CheckpointHeader(
    stateVersion: 3, kind: "fibonacci", parameterHash: Checksum128(high: 0x0123, low: 0x4567),
    sequence: 41, workTimeNanoseconds: 1_500_000_000, payloadLength: 1000,
    createdNanoseconds: 1_795_246_242_123_456_789,
    payloadChecksum: Checksum128(high: 0x89AB, low: 0xCDEF))

  private func decode(_ bytes: [UInt8], fileLength: UInt64 = 1128, sequence: UInt64 = 41) throws
    -> CheckpointHeader
  {
    try CheckpointHeader(
      decoding: bytes, fileLength: fileLength, sequence: sequence, digest: Self.digest)
  }

  /// Bytes that were changed with intent: the checksum fits them.
  private func signed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = Array(Self.header.encoded(digest: Self.digest)[..<112])
    change(&bytes)
    return bytes + Self.digest(bytes).bytes
  }

  @Test("C5 a header comes back as it was")
  func roundTrip() throws {
    let bytes = Self.header.encoded(digest: Self.digest)
    #expect(bytes.count == 128)
    #expect(try decode(bytes) == Self.header)
    #expect(try decode(bytes + [1, 2, 3]) == Self.header)
    for kind in ["a", "A-9", "sixteen-letters-"] {
      var header = Self.header
      header.kind = kind
      #expect(try decode(header.encoded(digest: Self.digest)).kind == kind)
    }
  }

  @Test("C5 the bytes are where the format's document says")
  func layout() {
    let bytes = Self.header.encoded(digest: Self.digest)
    #expect(bytes[0..<8] == [0xD3, 0x53, 0x54, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(bytes[8..<16] == [1, 0, 0, 0, 3, 0, 0, 0])
    #expect(bytes[16..<25].elementsEqual("fibonacci".utf8))
    #expect(bytes[25..<32].allSatisfy { $0 == 0 })
    #expect(bytes[32..<48] == [0, 0, 0, 0, 0, 0, 1, 0x23, 0, 0, 0, 0, 0, 0, 0x45, 0x67])
    #expect(bytes[48..<56] == [41, 0, 0, 0, 0, 0, 0, 0])
    #expect(bytes[56..<64] == [0, 0x2F, 0x68, 0x59, 0, 0, 0, 0])
    #expect(bytes[64..<72] == [0xE8, 3, 0, 0, 0, 0, 0, 0])
    #expect(bytes[80..<96].allSatisfy { $0 == 0 })
    #expect(bytes[112...] == Self.digest(Array(bytes[..<112])).bytes[...])
  }

  @Test("C2 every flipped bit and every cut of the header is a fault and never a mismatch")
  func damage() {
    let whole = Self.header.encoded(digest: Self.digest)
    for bit in 0..<128 * 8 {
      var bytes = whole
      bytes[bit / 8] ^= 1 << (bit % 8)
      let fault = #expect(throws: CheckpointFault.self) { try decode(bytes) }
      #expect(fault?.isMismatch == false, "bit \(bit)")
    }
    for length in 0..<128 {
      #expect(throws: CheckpointFault.tooShort(actual: UInt64(length), least: 128)) {
        try decode(Array(whole[..<length]))
      }
    }
  }

  @Test("C2 a transfer in text mode is recognized")
  func textTransfer() {
    let whole = Self.header.encoded(digest: Self.digest)
    let unix = Array(whole[..<4]) + Array(whole[5...]) + [0]
    #expect(throws: CheckpointFault.textTransfer) { try decode(unix) }
    let dos = Array(whole[..<4]) + [0x0D] + Array(whole[4...])
    #expect(throws: CheckpointFault.textTransfer) { try decode(dos) }
    #expect(throws: CheckpointFault.notACheckpoint) {
      try decode([UInt8](repeating: 0, count: 128))
    }
  }

  @Test("C8 no length in a file is trusted: it must be what the file system says")
  func lengths() {
    let whole = Self.header.encoded(digest: Self.digest)
    for length: UInt64 in [128, 1127, 1129, .max] {
      #expect(throws: CheckpointFault.length(actual: length - 128, stored: 1000)) {
        try decode(whole, fileLength: length)
      }
    }
    let huge = signed { $0.replaceSubrange(64..<72, with: [UInt8](repeating: 0xFF, count: 8)) }
    #expect(throws: CheckpointFault.length(actual: 1000, stored: .max)) { try decode(huge) }
  }

  @Test("C5 differing versions, kinds and parameters are named with both values")
  func mismatches() throws {
    let version = signed { $0[8] = 3 }
    #expect(throws: CheckpointFault.formatVersion(stored: 3, expected: 2)) { try decode(version) }
    #expect(throws: CheckpointFault.sequence(stored: 41, expected: 42)) {
      try decode(Self.header.encoded(digest: Self.digest), sequence: 42)
    }
    let expected = CheckpointExpectation(
      kind: "fibonacci", parameterHash: Self.header.parameterHash, stateVersion: 3)
    try Self.header.check(expected)
    var other = expected
    other.kind = "image"
    #expect(throws: CheckpointFault.kind(stored: "fibonacci", expected: "image")) {
      try Self.header.check(other)
    }
    other = expected
    other.stateVersion = 4
    let fault = #expect(throws: CheckpointFault.stateVersion(stored: 3, expected: 4)) {
      try Self.header.check(other)
    }
    #expect(fault?.isMismatch == true)
    #expect(fault?.description.contains("3") == true && fault?.description.contains("4") == true)
    other = expected
    other.parameterHash.low ^= 1
    #expect(throws: CheckpointFault.self) { try Self.header.check(other) }
  }

  @Test("C2 signed nonsense in the kind and in the reserved bytes is refused")
  func malformed() {
    #expect(throws: CheckpointFault.malformed("kind")) { try decode(signed { $0[16] = 0 }) }
    #expect(throws: CheckpointFault.malformed("kind")) { try decode(signed { $0[31] = 65 }) }
    #expect(throws: CheckpointFault.malformed("kind")) { try decode(signed { $0[17] = 0x20 }) }
    #expect(throws: CheckpointFault.malformed("reserved bytes")) {
      try decode(signed { $0[90] = 1 })
    }
  }

  @Test("a checksum is 32 digits and back")
  func checksumText() {
    let checksum = Checksum128(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    #expect(checksum.description == "00112233445566778899aabbccddeeff")
    #expect(Checksum128(hex: checksum.description) == checksum)
    #expect(Checksum128(bytes: checksum.bytes[...]) == checksum)
    for text in ["", "0", String(repeating: "g", count: 32), String(repeating: "0", count: 33)] {
      #expect(Checksum128(hex: text) == nil)
    }
  }
}
