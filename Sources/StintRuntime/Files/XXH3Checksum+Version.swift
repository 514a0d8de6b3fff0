import CXXHash

extension XXH3Checksum {
  /// The version of libxxhash, for example "0.8.1".
  package static var libraryVersion: String {
    let number = XXH_versionNumber()
    return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
  }
}
