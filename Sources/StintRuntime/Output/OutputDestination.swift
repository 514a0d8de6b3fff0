import Glibc
package import StintCore

/// Where a result goes, decided once at the start.
package struct OutputDestination: Hashable, Sendable {
  /// The ways to write a result.
  package enum Target: Hashable, Sendable {
    /// A regular file, which is replaced as a whole: its directory with every link resolved, and
    /// its name in there.
    case file(directory: FilePath, name: FilePath)
    /// A folder in which files of many results appear, with every link resolved.
    case folder(FilePath)
    /// Something that is written byte by byte and never replaced, by its path.
    case stream(path: FilePath)
    /// A descriptor that the process was started with.
    case descriptor(Int32)
  }

  /// What it is.
  package let target: Target

  /// The path that is part of the job's key; nil for a descriptor.
  package var path: FilePath? {
    switch target {
    case .file(let directory, let name): directory.appending(name)
    case .stream(let path), .folder(let path): path
    case .descriptor: nil
    }
  }

  /// Takes a destination whose kind is known.
  package init(target: Target) {
    self.target = target
  }

  /// Takes a folder, which need not exist yet if that in which it is to be does.
  ///
  /// - Throws: ``StintError``: `usage`, `cannotCreate`, or `io` for an error of the device.
  package init(folder argument: String) throws(StintError) {
    guard !argument.isEmpty else {
      throw StintError(.usage, "the path of the output folder is empty; name a folder")
    }
    var status = stat()
    if stat(argument, &status) == 0 {
      guard FileStatus(status).kind == .directory else { throw Self.error(argument, ENOTDIR) }
      let path = try Self.resolved(argument)
      guard access(path.text, W_OK | X_OK) == 0 else { throw Self.error(argument, errno) }
      target = .folder(path)
    } else if errno == ENOENT {
      target = .folder(try Self.newFile(FilePath(argument).withoutLastSlashes))
    } else {
      throw Self.error(argument, errno)
    }
  }

  /// Looks at what a path is.
  ///
  /// A symbolic link is resolved here and never again: what it points to later does not matter.
  ///
  /// - Parameter argument: What the user gave; nil or `-` for the standard output.
  /// - Throws: ``StintError``: `usage`, `cannotCreate`, or `io` for an error of the device.
  package init(_ argument: String?) throws(StintError) {
    guard let argument, argument != "-" else {
      guard Self.isOutput(STDOUT_FILENO) else {
        throw StintError(
          .cannotCreate,
          "the standard output is closed or cannot be written", remedies: [.nameOutput],
          errno: EBADF)
      }
      target = .descriptor(STDOUT_FILENO)
      return
    }
    guard !argument.isEmpty else {
      throw StintError(
        .usage, "the output path is empty; name a file, or - for the standard output")
    }
    if let descriptor = Self.descriptor(named: argument) {
      guard Self.isOutput(descriptor) else { throw Self.error(argument, EBADF) }
      target = .descriptor(descriptor)
      return
    }
    var status = stat()
    if stat(argument, &status) == 0 {
      switch FileStatus(status).kind {
      case .directory:
        throw Self.error(argument, EISDIR)
      case .regular, .symbolicLink:
        target = try Self.file(try Self.resolved(argument))
      case .device, .fifo, .socket:
        target = .stream(path: try Self.resolved(argument))
      }
    } else if errno == ENOENT {
      target = try Self.file(try Self.newFile(FilePath(argument)))
    } else {
      throw Self.error(argument, errno)
    }
  }

  /// Checks that that many bytes fit where the result goes.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` and both figures.
  package func checkSpace(
    forBytes sizeBytes: Int, fileSystem: any FileSystem = PosixFileSystem()
  ) throws(StintError) {
    guard case .file(let path, _) = target else { return }
    try Self.checkSpace(forBytes: sizeBytes, at: path.text, fileSystem: fileSystem)
  }

  /// Checks that that many bytes fit below a directory.
  ///
  /// - Throws: ``StintError`` with the code `unavailable` and both figures.
  package static func checkSpace(
    forBytes sizeBytes: Int, at path: String, fileSystem: any FileSystem = PosixFileSystem()
  ) throws(StintError) {
    let directory = try fileSystem.openDirectory(at: path)
    defer { fileSystem.close(directory) }
    let free = try fileSystem.freeBytes(in: directory)
    guard free >= sizeBytes else {
      throw StintError(
        .unavailable,
        "\(path) has \(free) bytes free, and \(sizeBytes) are needed; make room or choose another place",
        errno: ENOSPC)
    }
  }

  /// The descriptor that a path such as `/dev/stdout` or `/dev/fd/3` stands for.
  ///
  /// Opening such a path again would begin at the first byte of a file.
  private static func descriptor(named path: String) -> Int32? {
    if path == "/dev/stdout" { return STDOUT_FILENO }
    if path == "/dev/stderr" { return STDERR_FILENO }
    for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
      // What is no number names no descriptor either.
      return Int32(path.dropFirst(prefix.count)) ?? -1
    }
    return nil
  }

  /// Whether the process was started with a descriptor that can be written.
  ///
  /// A number that was free at the start may stand for a file of ours by now: the job's lock, or a
  /// checkpoint. What we open is closed by exec; what was inherited outlived one.
  private static func isOutput(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFD)
    let mode = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & FD_CLOEXEC == 0 && mode >= 0 && mode & O_ACCMODE != O_RDONLY
  }

  private static func resolved(_ path: String) throws(StintError) -> FilePath {
    do throws(StintError) {
      return try FilePath(path).resolved()
    } catch  where error.errno != 0 {
      throw Self.error(path, error.errno)
    }
  }

  /// The path of a file that does not exist yet, behind links that point nowhere.
  private static func newFile(_ path: FilePath) throws(StintError) -> FilePath {
    var path = path
    for _ in 0..<40 {
      if path.endsWithSlash { throw error(path.text, EISDIR) }
      let (parent, name) = (path.folder ?? ".", path.name)
      if name == "." || name == ".." { throw error(path.text, ENOENT) }
      let whole = try folder(parent, of: path).appending(name)
      guard let target = KernelFile.link(whole.text) else { return whole }
      let link = FilePath(String(decoding: target, as: UTF8.self))
      path = link.from(whole.folder ?? "/")
    }
    throw error(path.text, ELOOP)
  }

  /// The folder that a new file is to be in, with every link resolved.
  private static func folder(_ parent: FilePath, of path: FilePath) throws(StintError) -> FilePath {
    do throws(StintError) {
      return try resolved(parent.text)
    } catch  where error.errno != 0 {
      let why = String(cString: strerror(error.errno))
      throw .ofOutput(
        "cannot create the output \(path): its folder \(parent): \(why)", errno: error.errno)
    }
  }

  /// A file whose directory can be written, as its new version is made beside it.
  private static func file(_ path: FilePath) throws(StintError) -> Target {
    let directory = path.folder ?? "."
    guard access(directory.text, W_OK | X_OK) == 0 else { throw error(path.text, errno) }
    return .file(directory: directory, name: path.name)
  }

  static func error(_ path: String, _ code: Int32) -> StintError {
    let why = String(cString: strerror(code))
    return .ofOutput("cannot create the output \(path): \(why)", errno: code)
  }
}

extension OutputDestination {
  /// Whether the result goes out as a stream and is never replaced.
  package var isStream: Bool {
    switch target {
    case .descriptor, .stream: true
    case .file, .folder: false
    }
  }

  /// Whether a program reads what is written, so that nothing of it can be taken back.
  package var isPipe: Bool {
    var status = stat()
    let found: Int32 =
      switch target {
      case .descriptor(let descriptor): fstat(descriptor, &status)
      case .stream(let path): stat(path.text, &status)
      case .file, .folder: -1
      }
    return found == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  static func isRegularFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether people see the result as it is written.
  package var isTerminal: Bool {
    switch target {
    case .descriptor(let descriptor):
      return isatty(descriptor) == 1
    case .stream(let path):
      var status = stat()
      guard stat(path.text, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
      let descriptor = open(path.text, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return isatty(descriptor) == 1
    case .file, .folder:
      return false
    }
  }

  /// Opens a stream for writing; a descriptor of the process is used as it is.
  ///
  /// - Throws: ``StintError``: `cannotCreate`, or `io` for an error of the device.
  package func openStream() throws(StintError) -> OpenFile {
    switch target {
    case .descriptor(let descriptor):
      let name = descriptor == STDOUT_FILENO ? "the standard output" : "descriptor \(descriptor)"
      return OpenFile(descriptor: descriptor, path: name)
    case .stream(let path):
      // Opening a FIFO waits for its reader, and a signal must not end that wait.
      var descriptor: Int32
      repeat {
        descriptor = open(path.text, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      } while descriptor < 0 && errno == EINTR
      guard descriptor >= 0 else { throw Self.error(path.text, errno) }
      return OpenFile(descriptor: descriptor, path: path.text)
    case .file(let path, let name):
      throw StintError(.usage, "\(path)/\(name) is a regular file, not a stream.")
    case .folder(let path):
      throw StintError(.usage, "\(path) is a folder, not a stream.")
    }
  }
}
