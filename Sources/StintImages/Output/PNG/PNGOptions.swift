#if Images
/// How a PNG is compressed.
package struct PNGOptions: Hashable, Sendable {
  /// How rows are prepared for compression.
  package enum Filter: String, Hashable, Sendable, CaseIterable {
    /// Each row by the filter that makes it smallest.
    case adaptive
    /// Not at all.
    case none
  }

  /// 0 (stored) to 9 (smallest), as zlib counts.
  package let level: Int
  package let filter: Filter

  /// Creates options; stored rows need no filter.
  package init(level: Int = 6, filter: Filter = .adaptive) {
    precondition((0...9).contains(level), "zlib's levels are 0 to 9, not \(level)")
    self.level = level
    self.filter = level == 0 ? .none : filter
  }
}
#endif
