import Glibc
package import StintCore

/// Where all jobs live.
package enum JobsDirectory {
  /// The path: as asked for, else `$STINT_JOBS`, else `${XDG_STATE_HOME:-~/.local/state}/stint/jobs`.
  ///
  /// - Parameters:
  ///   - explicit: What the user or the program asked for.
  ///   - environment: Reads an environment variable.
  /// - Returns: An absolute path.
  /// - Throws: ``StintError`` with the code `unavailable` if there is no home directory.
  package static func path(
    explicit: String?, environment: (String) -> String? = Self.variable
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
        "there is no place for jobs, because HOME is not set; name one with --jobs-dir")
    }
    return (home == "/" ? "" : home) + "/.local/state/stint/jobs"
  }

  /// Opens the directory; makes it and its parents, each private to the user, where they do not exist.
  package static func openOrMake(
    _ path: String, fileSystem: any FileSystem
  ) throws(StintError) -> OpenFile {
    do {
      return try fileSystem.openDirectory(at: path)
    } catch  where error.errno == ENOENT {
      try make(path, fileSystem: fileSystem)
      return try fileSystem.openDirectory(at: path)
    }
  }

  private static func make(_ path: String, fileSystem: any FileSystem) throws(StintError) {
    let parts = path.split(separator: "/")
    for count in 1...max(1, parts.count) {
      let ancestor = "/" + parts.prefix(count).joined(separator: "/")
      do {
        try fileSystem.makeDirectory(at: ancestor)
        let parent = try fileSystem.openDirectory(at: ancestor + "/..")
        defer { fileSystem.close(parent) }
        try fileSystem.synchronize(parent)
      } catch  where [EEXIST, EROFS, EACCES, EISDIR].contains(error.errno) && count < parts.count {
        // It exists, or we may not ask; the last one tells.
      } catch  where error.errno == EEXIST {
        // Another process made it in between.
      }
    }
  }

  private static func absolute(_ path: String) throws(StintError) -> String {
    if path.hasPrefix("/") { return path }
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
