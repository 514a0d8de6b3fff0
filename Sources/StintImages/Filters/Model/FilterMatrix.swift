#if Images
/// A matrix of numbers, row after row.
package struct FilterMatrix: Hashable, Sendable {
  /// The longest side that a matrix may have.
  package static let longestSide = 63

  package let width: Int
  package let height: Int
  /// Row after row.
  package let elements: [Double]

  /// A matrix of rows.
  ///
  /// - Precondition: There is a row, and all are equally long and not empty.
  init(_ rows: [[Double]]) {
    precondition(
      !rows.isEmpty && rows.allSatisfy { $0.count == rows[0].count && !$0.isEmpty },
      "a matrix has rows of equal length")
    width = rows[0].count
    height = rows.count
    elements = rows.flatMap { $0 }
  }

  var rows: [[Double]] {
    (0..<height).map { Array(elements[$0 * width..<($0 + 1) * width]) }
  }

  var sum: Double { elements.reduce(0, +) }

  /// Whether every element is a whole number.
  var isWhole: Bool { elements.allSatisfy { $0 == $0.rounded() } }

  /// Rows separated by slashes, elements by commas.
  var canonicalText: String {
    rows.map { $0.map(FilterValue.text).joined(separator: ",") }.joined(separator: "/")
  }
}
#endif
