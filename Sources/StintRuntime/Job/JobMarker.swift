import Glibc
package import StintCore

/// An empty file in a job's directory by which one process tells another what to do.
package enum JobMarker: String, Hashable, Sendable, CaseIterable {
  /// Stop after the next checkpoint. One that is older than a worker's lock is removed when that is
  /// taken.
  case stop
  /// Pause until the file is gone.
  case pause

  /// Whether the marker is there.
  package func isSet(in directory: OpenFile, fileSystem: any FileSystem) -> Bool {
    (try? fileSystem.exists(rawValue, in: directory)) ?? false
  }

  /// Puts the marker there: a new file, so that a worker that starts can tell it from an older one.
  package func set(in directory: OpenFile, fileSystem: any FileSystem) throws(StintError) {
    try clear(in: directory, fileSystem: fileSystem)
    fileSystem.close(try fileSystem.openFile(rawValue, in: directory, .createOrUpdate))
  }

  /// Takes the marker away.
  package func clear(in directory: OpenFile, fileSystem: any FileSystem) throws(StintError) {
    try fileSystem.removeIfPresent(rawValue, in: directory)
  }
}
