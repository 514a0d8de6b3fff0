import Glibc
import StintCore

extension JobDirectory {
  /// Why the same command would not go on from what is saved, as sentences; nil if it would.
  ///
  /// Somebody may move or remove the directory while a process works in it. That process goes on,
  /// because it has the directory open; the next one looks at the path.
  package func displacement() -> String? {
    guard let root, !isAtItsPath(root) else { return nil }
    guard let place = place(of: root) else {
      return "The job's directory \(path) was removed meanwhile, so nothing is kept."
    }
    return
      "The job's directory is not \(path) any more, but \(place); move it back, and then run the "
      + "same command again to continue."
  }

  /// Whether the path leads to the directory; also if that cannot be seen now.
  private func isAtItsPath(_ root: OpenFile) -> Bool {
    do throws(StintError) {
      let jobs = try fileSystem.openDirectory(at: jobsPath)
      defer { fileSystem.close(jobs) }
      let found = try fileSystem.status(of: key.description, in: jobs)
      return found.isSameFile(as: try fileSystem.status(of: root))
    } catch {
      return ![ENOENT, ENOTDIR].contains(error.errno)
    }
  }

  /// The path that the kernel knows for an open directory; nil if it has none any more.
  private func place(of root: OpenFile) -> String? {
    guard let link = KernelFile.link("/proc/self/fd/\(root.descriptor)") else { return nil }
    let path = String(decoding: link, as: UTF8.self)
    guard let found = try? fileSystem.openDirectory(at: path) else { return nil }
    defer { fileSystem.close(found) }
    guard let status = try? fileSystem.status(of: found),
      let own = try? fileSystem.status(of: root), status.isSameFile(as: own)
    else { return nil }
    return path
  }
}

extension Job {
  /// Why the same command would not go on from what is saved, as sentences; nil if it would.
  package func displacement() -> String? { directory.displacement() }
}
