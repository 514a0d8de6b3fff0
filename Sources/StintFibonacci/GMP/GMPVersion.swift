import CGMP

/// Which GMP is linked.
package enum GMPVersion {
  /// The version, for example "6.2.1".
  package static var text: String { String(cString: gmpz_version()) }

  /// The first number of the version.
  static let major = text.split(separator: ".").first.flatMap { Int($0) } ?? 0
}
