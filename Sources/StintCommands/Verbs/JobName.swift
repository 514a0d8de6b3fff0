import StintCore
import StintRuntime

/// What a user may call a job by.
struct JobName: Hashable, Sendable {
  var key: String
  var outputPath: FilePath?
  /// What the user calls the job.
  var name: String?

  /// The part of the key after the kind.
  var hash: Substring { key[(key.lastIndex(of: "-").map(key.index(after:)) ?? key.startIndex)...] }

  /// The key of the one job that a name means: a key, the name that the user gave, one of the
  /// absolute paths of an output, or the beginning of a key or of its hash.
  ///
  /// - Throws: ``StintError`` with the code `usage`: none, with the nearest; or several, with all
  ///   of them.
  static func find(
    _ name: String, asPaths paths: [FilePath], among candidates: [JobName], in jobsPath: String
  ) throws -> String {
    let shown = name.prefix(80)
    if let exact = candidates.first(where: { $0.key == name }) { return exact.key }
    var found = candidates.filter {
      $0.name == name || $0.outputPath.map(paths.contains) ?? false
    }
    if found.isEmpty, !name.isEmpty {
      found = candidates.filter { $0.key.hasPrefix(name) || $0.hash.hasPrefix(name) }
    }
    if found.count == 1 { return found[0].key }
    if found.count > 1 {
      let list = found.prefix(5).map(\.key).joined(separator: ", ")
      let more = found.count > 5 ? " and \(found.count - 5) more" : ""
      throw StintError(.usage, "\"\(shown)\" could be \(list)\(more); write more of the key.")
    }
    if candidates.isEmpty {
      throw StintError(.usage, "There is no job \"\(shown)\": \(jobsPath) holds no jobs.")
    }
    let advice = nearest(to: name, among: candidates).map { "did you mean \($0)?" }
    throw StintError(
      .usage,
      "There is no job \"\(shown)\" in \(jobsPath); \(advice ?? "stint list shows them all.")")
  }

  private static func nearest(to name: String, among candidates: [JobName]) -> String? {
    var names: [String: String] = [:]
    for candidate in candidates {
      names[candidate.key] = candidate.key
      names[String(candidate.hash.prefix(max(4, name.count)))] = candidate.key
      if let path = candidate.outputPath?.text { names[path] = path }
      if let name = candidate.name { names[name] = name }
    }
    return NearestName.find(name, among: names.keys.sorted()).flatMap { names[$0] }
  }

  /// The absolute paths that an argument can stand for: as written, with the links of its folder
  /// resolved, and with all links resolved, as `run` does for its output.
  static func paths(_ argument: String, from workingDirectory: String) -> [FilePath] {
    guard !argument.isEmpty else { return [] }
    let absolute = FilePath(argument).from(FilePath(workingDirectory))
    var paths = [absolute]
    if let real = try? absolute.folder?.resolved() { paths.append(real.appending(absolute.name)) }
    if let real = try? absolute.resolved() { paths.append(real) }
    return paths
  }

  /// What a list calls these jobs: their names, or where they have none of their own, the shortest
  /// beginnings of the hashes.
  static func shown(_ jobs: [JobName]) -> [String: String] {
    let names = Dictionary(grouping: jobs.compactMap(\.name)) { $0 }.filter { $1.count == 1 }
    let own = jobs.compactMap { job in job.name.flatMap { names[$0] == nil ? nil : (job.key, $0) } }
    return short(jobs.map(\.key)).merging(own) { $1 }
  }

  /// The shortest beginnings of the hashes, at least eight digits, that tell all of these keys
  /// apart.
  static func short(_ keys: [String]) -> [String: String] {
    let hashes = keys.map { String(JobName(key: $0).hash) }
    var length = 8
    while length < 16, Set(hashes.map { $0.prefix(length) }).count < Set(hashes).count {
      length += 1
    }
    return Dictionary(
      zip(keys, hashes.map { String($0.prefix(length)) }), uniquingKeysWith: { first, _ in first })
  }
}

extension JobName {
  /// A job by its record; one that cannot be read has its key alone.
  init(_ key: String, _ record: JobRecord?) {
    self.init(key: key, outputPath: record?.outputPath, name: record?.givenName)
  }
}
