/// Into how many parts a product is split if it does not fit into the rest of a budget.
///
/// Both factors are cut into k parts of equal length, the coefficients of two polynomials. Their
/// product polynomial is known from its values at 2k − 2 points and its uppermost coefficient: 2k −
/// 1 products of a k-th of the length, each of which can be a chunk (A. L. Toom 1963, S. A. Cook
/// 1966). For products whose cost grows little more than their length that is less than twice the
/// work at any k, and only where it is needed.
package struct Splitting: Hashable, Sendable {
  /// Shorter products are never split; in words.
  var leastLength = 1 << 16
  /// Whether products that could be split are done in stages instead, if the budget has room for
  /// the stages and the numbers allow them.
  var staged = true

  /// The numbers of parts that a product may have.
  static let ladder = [2, 3, 4, 6, 8, 12, 16]
  static let most = 16

  /// A product is split so that a piece takes at most this share of what is left.
  static let share = 0.25
}
