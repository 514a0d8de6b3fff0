/// An output that is being read back, from its most significant end.
struct CheckingState: Sendable {
  /// How many bytes are read.
  var checked: Int
  /// Their value modulo 2^61 − 1.
  var residue: UInt64
}
