import StintCore
import StintRuntime

extension VerbContext {
  enum Target: Hashable {
    case job(String)
    /// The key of work that is cut into shards.
    case whole(String)
  }

  /// The job that the command line names, or the whole of which jobs do parts.
  ///
  /// Where a name fits a whole and its parts, such as the folder into which all of them write, it
  /// means the whole.
  ///
  /// - Throws: ``StintError`` with the code `usage` if there is none or more than one.
  func target() throws -> Target {
    let name = parsed.operands.first ?? ""
    let keys = try catalog.keys()
    if keys.contains(name) { return .job(name) }
    var (alone, parts, wholes): ([JobName], [JobName], [JobName]) = ([], [], [])
    for key in keys {
      // A record that cannot be read leaves the job its key.
      let record = (try? catalog.record(of: key)) ?? nil
      let job = JobName(key, record)
      guard let record, record.shard != nil else {
        alone.append(job)
        continue
      }
      parts.append(job)
      let whole = JobName(record.whole, record)
      if !wholes.contains(whole), !keys.contains(record.whole) { wholes.append(whole) }
    }
    let paths = JobName.paths(name, from: surroundings.workingDirectory)
    func find(_ candidates: [JobName]) throws -> Target {
      let key = try JobName.find(name, asPaths: paths, among: candidates, in: catalog.jobsPath)
      return keys.contains(key) ? .job(key) : .whole(key)
    }
    if !wholes.isEmpty, let found = try? find(alone + wholes) { return found }
    return try find(alone + parts + wholes)
  }

  /// How many failed items a page tells of.
  var shownFailures: Int { wantsJSON ? .max : WholeView.shownFailures }

  /// How the lines of a batch stand, with the first that failed, at most so many.
  ///
  /// Nil for another job, and if its files do not say it.
  func tally(of view: JobView, failures most: Int) -> ItemTally? {
    guard view.summary.record?.kind == Kind.batch.name, view.state != .foreign else { return nil }
    var reader = LineTallyReader(view.summary.path)
    return reader.read(isRunning: view.summary.isRunning, failures: .first(most))
  }

  /// The parts of a whole, with the first items of each that failed: so many, or as many as are
  /// shown.
  ///
  /// - Throws: ``StintError`` with the code `usage` if they are gone.
  func whole(_ key: String, failures most: Int? = nil) throws -> WholeView {
    guard let whole = WholeView(key, in: self, failures: most ?? shownFailures) else {
      throw StintError(.usage, "There is no shard of \(key) any more.")
    }
    return whole
  }
}
