@testable import FuzzTargets

extension Seeds {
  /// The golden file of version 1, and what damage makes of it; the first byte says what is put
  /// right.
  static var checkpoints: [[UInt8]] {
    let all = CheckpointTarget.Repairs([
      .payloadChecksum, .payloadLength, .sequence, .headerChecksum,
    ]).rawValue
    let cut = CheckpointTarget.Repairs.cut.rawValue
    var other = golden
    other[12] = 7
    other.replaceSubrange(16..<32, with: Array("sixteen-letters-".utf8))
    var later = golden
    later[8] = 2
    return [
      [0] + golden, [all] + golden, [cut] + golden, [0] + golden.dropLast(), [0] + golden[..<100],
      [all] + golden[..<128], [all] + other, [all] + later,
      // As a transfer in text mode leaves it.
      [0] + golden[..<4] + golden[5...] + [0],
    ]
  }

  /// `GoldenTests` has the same bytes.
  private static var golden: [UInt8] {
    let digits = Array(
      ("d353544e0d0a1a0a010000000100000074657374000000000000000000000000"
        + "759df5a87d496455e30959e6f27dbdb80100000000000000002f685900000000"
        + "10000000000000000000b49376e2fa1800000000000000000000000000000000"
        + "f1137f88c11d3e8494e8e27941ddbcfcd5d9fd749d5d8256ff159a27bde472b0"
        + "7369787465656e2062797465732e2e2e").utf8)
    return stride(from: 0, to: digits.count, by: 2).map { offset in
      UInt8(String(decoding: digits[offset..<offset + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }
}
