package import StintCore

/// The folder in which a jobs directory lies, from which relative paths in its jobs are taken.
///
/// It is a matter of the directory itself, without links, and not of how somebody spells its path:
/// whoever reads a job finds the same files.
package struct JobsBase: Hashable, Sendable {
  /// The absolute path, without links.
  package let folder: FilePath

  /// Finds the folder of a jobs directory, which need not exist yet; nil where there is none.
  package init?(jobsPath: String) {
    let path = FilePath(jobsPath).withoutLastSlashes
    if let real = try? path.resolved() {
      guard let folder = real.folder else { return nil }
      self.folder = folder
    } else if let folder = path.folder {
      self.folder = (try? folder.resolved()) ?? folder
    } else {
      return nil
    }
  }

  package init(folder: FilePath) {
    self.folder = folder
  }

  /// The absolute path that a path in a job stands for.
  package func absolute(_ path: FilePath) -> FilePath {
    if path.isAbsolute { return path }
    var parts = folder.parts
    for part in path.parts where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return Self.path(parts)
  }

  /// An absolute path without links, as it is seen from the folder; nil if the two do not belong
  /// together.
  ///
  /// What lies below the folder belongs to it. Seen from a working directory, so does what lies
  /// below the folder that holds both.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - workingDirectory: Where the jobs directory was given by a relative path; nil if it was
  ///     given by an absolute one.
  /// - Returns: The relative path; `.` for the folder itself.
  package func relative(_ path: FilePath, from workingDirectory: FilePath? = nil) -> FilePath? {
    let (own, parts) = (folder.parts, path.parts)
    let scope = workingDirectory.map { Self.common(own, $0.parts) } ?? own.count
    let shared = Self.common(own, parts)
    // The root belongs to everybody.
    guard shared >= max(1, scope) else { return nil }
    let way = Array(repeating: FilePath(".."), count: own.count - shared) + parts.dropFirst(shared)
    return way.isEmpty ? "." : FilePath(way.map(\.text).joined(separator: "/"))
  }

  private static func common(_ one: [FilePath], _ other: [FilePath]) -> Int {
    zip(one, other).prefix { $0 == $1 }.count
  }

  private static func path(_ parts: [FilePath]) -> FilePath {
    FilePath("/" + parts.map(\.text).joined(separator: "/"))
  }
}
