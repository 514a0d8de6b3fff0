import StintCore

extension JobWorkspace {
  func publish(partialFileNamed name: String, to path: String) throws {
    guard !path.isEmpty else {
      throw StintError(.usage, "the path of the result is empty; name a file")
    }
    let fileSystem = directory.fileSystem
    let path = try JobsDirectory.path(explicit: path)
    let folder = FilePath(path).folder ?? "/"
    fileSystem.close(try JobsDirectory.openOrMake(folder.text, fileSystem: fileSystem))
    // An earlier run may have made it and been ended before it waited for the disk.
    try JobsDirectory.makeNameDurable(folder.text, fileSystem: fileSystem)
    // Links are the real file system's; a virtual one has none.
    let destination =
      fileSystem is PosixFileSystem
      ? try OutputDestination(path)
      : OutputDestination(target: .file(directory: folder, name: FilePath(path).name))
    let output = OutputFile(destination, replacesOthers: true, fileSystem: fileSystem)
    try output.publish(partialFileNamed: name, in: self)
  }
}
