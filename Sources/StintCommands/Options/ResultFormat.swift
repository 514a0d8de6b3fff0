/// How a number is written.
package enum ResultFormat: String, Hashable, Sendable, CaseIterable {
  /// All decimal digits and a newline.
  case decimal
  /// All hexadecimal digits and a newline.
  case hex
  /// The bytes of the number, the lowest first.
  case raw
  /// Only how many decimal digits it has.
  case digits
}
