import Glibc
package import StintCore

extension FilePath {
  /// The same with every link resolved (realpath(3)).
  ///
  /// - Throws: ``StintError``: `io` with the errno; `usage` if a folder on the way has a name that
  ///   is not UTF-8, so that its text would name another one.
  package func resolved() throws(StintError) -> FilePath {
    guard let real = realpath(text, nil) else { throw fileError("cannot find", text, errno) }
    defer { free(real) }
    guard let text = String(validatingCString: real) else {
      throw StintError(
        .usage,
        "\(self) is in a folder whose name is not UTF-8; Stint needs names in UTF-8, so use another "
          + "folder")
    }
    return FilePath(text)
  }

  /// An absolute path as it is; any other one from the folder in which the process is now, with
  /// every link on the way to its last name resolved.
  ///
  /// - Throws: ``StintError``: `usage` if it is empty or no path of a file; `cannotCreate` if its
  ///   folder is not there.
  package func fromWorkingDirectory() throws(StintError) -> FilePath {
    if isAbsolute { return self }
    let (folder, name) = (folder ?? ".", name)
    guard !name.isEmpty, name != ".", name != ".." else {
      throw StintError(.usage, "the output path \"\(text)\" names no file; name one")
    }
    do throws(StintError) {
      return try folder.resolved().appending(name)
    } catch {
      throw StintError(
        .cannotCreate, "cannot create the output \(text): \(error.message)", errno: error.errno)
    }
  }
}
