#if Images
import StintCore

/// All filters.
package enum FilterCatalogue {
  /// Their specifications, in the order of the documentation.
  package static let all: [FilterSpecification] =
    blurs + edges + tones + colours + geometry + histograms

  /// Every name and alias.
  package static var names: [String] {
    all.flatMap { [$0.name] + $0.aliases }
  }

  /// The filters by their names and aliases.
  static let byName = Dictionary(
    all.flatMap { filter in ([filter.name] + filter.aliases).map { ($0, filter) } },
    uniquingKeysWith: { first, _ in first })

  /// The filter that a user named.
  ///
  /// - Parameter name: A name or alias; capitals and underscores do not matter.
  /// - Returns: Its specification.
  /// - Throws: `usage`, with the nearest name if one is near.
  static func find(_ name: String) throws(StintError) -> FilterSpecification {
    let wanted = FilterText.normalised(name)
    if let found = byName[wanted] { return found }
    if wanted.isEmpty {
      throw StintError(
        .usage, "A filter is empty; write its name, for example gaussian-blur:3.")
    }
    let advice = NearestName.find(wanted, among: names).map { " Did you mean \($0)?" } ?? ""
    throw StintError(
      .usage,
      "There is no filter \(FilterText.quoted(name)).\(advice)", remedies: [.listFilters])
  }
}
#endif
