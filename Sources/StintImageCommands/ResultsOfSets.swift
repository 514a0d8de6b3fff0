#if Images
import StintCore
import StintImages
import StintRuntime

/// What sets of images have put where inputs are now, so that no set takes results for inputs.
///
/// A job that was removed is not known any more, and its results are files like others.
struct ResultsOfSets {
  /// An input, and the folder that was named, if it was found in one.
  struct Input {
    var item: ImageSetPlan.Item
    var root: FilePath?
  }

  private struct Known {
    var results: ImageSetResults
    /// Whether it is the set itself, or a part of it.
    var isOwn: Bool
    /// The named folders in which its results are none of the inputs.
    var roots: Set<FilePath>
  }

  private let sets: [Known]

  /// Reads the ledgers of those sets whose folders have inputs in them.
  ///
  /// - Parameters:
  ///   - inputs: What was found.
  ///   - key: The key of the job of the whole set.
  ///   - jobsDirectory: Where jobs are.
  /// - Throws: ``StintError`` if that cannot be.
  init(near inputs: [Input], of key: String, in jobsDirectory: String) throws {
    let folders = Set(inputs.compactMap(\.item.path.folder))
    let roots = Set(inputs.compactMap(\.root))
    let catalog = try JobCatalog(jobsDirectory: jobsDirectory)
    sets = catalog.records(ofKind: ImageSetComputation.kind).compactMap { record in
      let isOwn = record.whole == key
      guard let folder = record.outputPath, isOwn || !roots.isEmpty,
        folders.contains(where: { $0.isWithin(folder) }),
        let bytes = try? ImageSetWork.ledger(of: record.key.description, in: jobsDirectory),
        let results = ImageSetResults(bytes, of: record)
      else { return nil }
      // A folder of results that is named itself is meant, unless its inputs are there, too.
      let excluding = roots.filter { root in
        !root.isWithin(folder) || results.inputs.contains { $0.isWithin(root) }
      }
      return Known(results: results, isOwn: isOwn, roots: excluding)
    }
  }

  /// Whether an input is a result of the set itself, or was found in a folder and is one of another
  /// set.
  func has(_ input: Input) -> Bool {
    sets.contains { set in
      (set.isOwn || input.root.map(set.roots.contains) ?? false)
        && set.results.contains(input.item.path)
    }
  }

  /// What is said of results that are left out; nil if there are none.
  static func notice(of count: Int) -> Notice? {
    guard count > 0 else { return nil }
    return Notice(
      count == 1
        ? "1 input is a result of this set or of another one and is left out"
        : "\(count) inputs are results of this set or of another one and are left out")
  }
}
#endif
