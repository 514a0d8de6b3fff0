import Glibc
package import StintCore

/// Where all jobs live.
package enum JobsDirectory {
  /// The path: as asked for, else `$STINT_JOBS`, else
  /// `${XDG_STATE_HOME:-~/.local/state}/stint/jobs`.
  ///
  /// - Parameters:
  ///   - explicit: What the user or the program asked for.
  ///   - environment: Reads an environment variable.
  /// - Returns: An absolute path.
  /// - Throws: ``StintError`` with the code `unavailable` if there is no home directory, or the
  ///   path is not UTF-8.
  package static func path(
    explicit: String?, environment: (String) -> String? = Self.variable
  ) throws(StintError) -> String {
    let path = try anyPath(explicit: explicit, environment: environment)
    // What was no UTF-8 has become U+FFFD, and names another folder.
    guard !path.unicodeScalars.contains("\u{FFFD}") else {
      throw StintError(
        .unavailable, "the place for jobs, \(path), is not UTF-8, which Stint needs",
        remedies: [.anotherJobsDirectory])
    }
    return path
  }

  private static func anyPath(
    explicit: String?, environment: (String) -> String?
  ) throws(StintError) -> String {
    if let explicit, !explicit.isEmpty { return try absolute(explicit) }
    if let jobs = environment("STINT_JOBS"), !jobs.isEmpty { return try absolute(jobs) }
    // The XDG base directory specification: a relative path is to be ignored.
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
      return state + "/stint/jobs"
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else {
      throw StintError(
        .unavailable,
        "there is no place for jobs, because HOME is not an absolute path",
        remedies: [.anotherJobsDirectory])
    }
    return (home == "/" ? "" : home) + "/.local/state/stint/jobs"
  }

  /// Opens the directory; makes it and its parents, each private to the user, where they do not
  /// exist.
  package static func openOrMake(
    _ path: String, fileSystem: any FileSystem
  ) throws(StintError) -> OpenFile {
    if let found = try ifPresent(fileSystem.openDirectory(at: path)) { return found }
    try make(path, fileSystem: fileSystem)
    return try fileSystem.openDirectory(at: path)
  }

  private static func make(_ path: String, fileSystem: any FileSystem) throws(StintError) {
    let parts = FilePath(path).parts.map(\.text)
    for count in 1...max(1, parts.count) {
      var isNew = true
      do {
        try fileSystem.makeDirectory(at: "/" + parts.prefix(count).joined(separator: "/"))
      } catch  where error.errno == EEXIST {
        isNew = false
      } catch  where [EROFS, EACCES, EISDIR].contains(error.errno) && count < parts.count {
        // We may not even ask about this ancestor; the last one tells.
        continue
      }
      do {
        try synchronize(
          "/" + parts.prefix(count - 1).joined(separator: "/"), fileSystem: fileSystem)
      } catch  where !isNew && [EACCES, EPERM, EINVAL, EROFS].contains(error.errno) {
        // An ancestor that was there before is synchronized only in case an earlier run made it and
        // was ended.
      }
    }
  }

  /// Makes the entries of a directory durable.
  private static func synchronize(
    _ path: String, fileSystem: any FileSystem
  ) throws(StintError) {
    let directory = try fileSystem.openDirectory(at: path)
    defer { fileSystem.close(directory) }
    try fileSystem.synchronize(directory)
  }

  /// Makes the entry of the directory itself durable, whoever made it.
  static func makeNameDurable(_ path: String, fileSystem: any FileSystem) throws(StintError) {
    let parent = FilePath(path).parts.map(\.text).dropLast().joined(separator: "/")
    do {
      try synchronize("/" + parent, fileSystem: fileSystem)
    } catch  where [EACCES, EPERM, EINVAL, EROFS].contains(error.errno) {
      // A parent that we may not read is not ours, and was there before.
    }
  }

  private static func absolute(_ path: String) throws(StintError) -> String {
    if FilePath(path).isAbsolute { return path }
    guard let current = getcwd(nil, 0) else {
      throw fileError("cannot tell the current directory for", path, errno)
    }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }

  /// Reads a variable of this process.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
