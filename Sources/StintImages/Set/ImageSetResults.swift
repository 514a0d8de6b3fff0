#if Images
package import StintCore
package import StintRuntime

/// What a set has put into its folder, by its ledger: files that are no inputs of another set, nor
/// of itself.
package struct ImageSetResults: Sendable {
  /// The inputs that the set has or had.
  package let inputs: [FilePath]
  private let results: [FilePath: [ImageSetResult]]
  private let folder: OutputFolder

  /// Reads a ledger; nil if the folder is not there, or nothing was put into it.
  ///
  /// - Parameters:
  ///   - bytes: The ledger.
  ///   - record: What its job is.
  package init?(_ bytes: [UInt8], of record: JobRecord) {
    let takesFrames = record.parameters["page"] == "all"
    var items: [Int: ImageSetPlan.Item] = [:]
    var results: [FilePath: [ImageSetResult]] = [:]
    for line in ImageSetLedger.lines(in: bytes) {
      switch line {
      case .input(let place, let item, _): items[place] = item
      case .done(let unit, let result):
        guard let item = items[unit.item] else { continue }
        let name = takesFrames ? item.name(frame: unit.frame, of: result.frames) : item.name
        results[name, default: []].append(result)
      case .head, .list, .same, .failed, .dropped: break
      }
    }
    guard !results.isEmpty, let path = record.outputPath,
      let folder = try? OutputFolder(path.text, for: JobParameters([:]), replacesOthers: false)
    else { return nil }
    (self.folder, self.results, inputs) = (folder, results, items.values.map(\.path))
  }

  /// Whether a file is still what the set has put there.
  ///
  /// - Parameter path: The absolute path, with the links of its folder resolved.
  /// - Returns: False also for a file that cannot be looked at.
  package func contains(_ path: FilePath) -> Bool {
    guard path.isWithin(FilePath(folder.path)) else { return false }
    let name = FilePath(
      String(
        Substring(path.text.utf8.dropFirst(FilePath(folder.path).appending("").text.utf8.count))))
    guard let results = results[name], let found = try? folder.find(name) else { return false }
    return (try? folder.result(found, under: name, among: results)) ?? nil != nil
  }
}
#endif
