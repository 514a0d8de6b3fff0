import CXXHash
package import StintCore

/// XXH3 with 128 bits, fed piece by piece.
///
/// The one place that knows libxxhash.
package final class XXH3Checksum {
  private let state: OpaquePointer

  package init() {
    guard let state = XXH3_createState() else {
      fatalError("XXH3_createState could not allocate its 576 bytes")
    }
    self.state = state
    XXH3_128bits_reset(state)
  }

  deinit {
    XXH3_freeState(state)
  }

  /// Takes in more bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
  }

  /// The checksum of everything so far.
  package var value: Checksum128 {
    let hash = XXH3_128bits_digest(state)
    return Checksum128(high: hash.high64, low: hash.low64)
  }

  /// The version of libxxhash, for example "0.8.1".
  package static var libraryVersion: String {
    let number = XXH_versionNumber()
    return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
  }

  /// The checksum of bytes that are all at hand.
  package static func digest(_ bytes: UnsafeRawBufferPointer) -> Checksum128 {
    let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
    return Checksum128(high: hash.high64, low: hash.low64)
  }

  /// The checksum of an array, as ``CheckpointHeader`` wants it.
  package static func digest(_ bytes: [UInt8]) -> Checksum128 {
    bytes.withUnsafeBytes { digest($0) }
  }
}
