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
}
