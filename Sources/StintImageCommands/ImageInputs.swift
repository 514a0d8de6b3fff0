#if Images
import Glibc
import StintCommands
import StintCore
import StintImages
import StintRuntime

/// The inputs that a command line names: by its operands, by a list, and by folders that hold them.
struct ImageInputs {
  /// One input.
  struct Input {
    var path: String
    /// Where below the folder of the results its result goes; nil for that folder itself.
    var folder: FilePath?
    /// The folder that was named, if the input was found in one.
    var root: String?
  }

  /// What fails by itself.
  struct Refused {
    /// What messages call it.
    var name: String
    /// The path, if it can be written down.
    var path: String?
    var error: StintError
  }

  private(set) var inputs: [Input] = []
  private(set) var refused: [Refused] = []
  /// Which formats the user trusts, though libvips does not.
  let trusted: Set<UntrustedFormat>

  /// How many files in folders have no extension of an image that is read.
  private var leftOutCount = 0
  /// Formats of theirs that would be read if they were trusted.
  private var untrusted: Set<UntrustedFormat> = []

  private let isRecursive: Bool
  private let excluded: ExcludePatterns
  /// The folder of the results, which is never one of inputs.
  private let output: stat?
  private let fileSystem = PosixFileSystem()

  /// Reads what a command line names.
  ///
  /// - Throws: ``StintError``: `usage`, or `io` for a list that cannot be read or a device that
  ///   fails: half of a list would be taken for the whole.
  init(_ parsed: ParsedOptions, outside output: String) throws {
    isRecursive = parsed.has("recursive")
    excluded = try ExcludePatterns(parsed.texts("exclude"))
    if parsed.has("exclude"), !isRecursive {
      throw StintError(
        .usage, "--exclude is for what is found in folders; add --recursive, or leave it out.")
    }
    trusted = try UntrustedFormat.set(parsed.texts("trust"))
    self.output = Self.status(output)
    // The first operand is the word "image".
    var paths = parsed.operands.dropFirst().map(Environment.bytes)
    if let list = parsed.text("files-from") {
      if list == "-", parsed.has("isolated") {
        throw StintError(
          .usage,
          "With --isolated, each stint would read the list from standard input; write it into a file."
        )
      }
      let name = list == "-" ? "standard input" : list
      paths += try Self.names(in: Self.contents(list, name), of: name)
    }
    for bytes in paths {
      guard let path = String(validating: bytes, as: UTF8.self) else {
        try refuse(ShownName(bytes).text, nil, Self.notUTF8)
        continue
      }
      do throws(StintError) {
        guard try isFolder(path) else {
          inputs.append(Input(path: path))
          continue
        }
      } catch {
        try refuse(path, path, error)
        continue
      }
      guard isRecursive else {
        throw StintError(
          .usage, "\(path) is a folder; add --recursive to take all images in it.")
      }
      try walk(FilePath(path).withoutLastSlashes)
    }
    guard inputs.isEmpty, refused.isEmpty else { return }
    throw StintError(
      .usage,
      paths.isEmpty
        ? "The inputs are missing; write, for example: stint run image *.png --output-dir out "
          + "--filter invert."
        : "There is no image in \(String(decoding: paths[0], as: UTF8.self)).", remedies: trust)
  }

  /// What is said of files in folders that are left out; nil if there are none.
  var leftOut: Notice? {
    guard leftOutCount > 0 else { return nil }
    let (has, are) = leftOutCount == 1 ? (" has", "is") : ("s have", "are")
    return Notice(
      "\(leftOutCount) file\(has) no extension of an image that is read and \(are) left out",
      remedies: trust)
  }

  /// Lets an input fail by itself; what the device says may be said of all of them.
  private mutating func refuse(
    _ name: String, _ path: String?, _ error: StintError
  ) throws(StintError) {
    if error.isOfTheDevice { throw error }
    refused.append(Refused(name: name, path: path, error: error))
  }

  private static let notUTF8 = StintError(
    .usage, "The name is not UTF-8, which Stint needs; rename it.")

  private var trust: [Remedy] {
    UntrustedFormat.allCases.filter(untrusted.contains).prefix(1).map { .trust($0.rawValue) }
  }

  /// What a path is, with its links followed; nil if it is not there.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// Whether a path is a folder.
  ///
  /// A folder that cannot be seen now must not count as one without images: with `--recursive` what
  /// is not there and is not named like an image is taken for one.
  private func isFolder(_ path: String) throws(StintError) -> Bool {
    if let status = Self.status(path) { return status.st_mode & S_IFMT == S_IFDIR }
    let code = errno
    guard !isRecursive || isImage(FilePath(path).parts.last?.text ?? path) else {
      throw fileError("cannot look at", path, code)
    }
    return false
  }

  private func isOutput(_ folder: OpenFile) throws(StintError) -> Bool {
    let status = try fileSystem.status(of: folder)
    return output.map { (UInt64($0.st_dev), UInt64($0.st_ino)) == (status.device, status.inode) }
      ?? false
  }

  // MARK: Lists

  /// The names in a list: a line each, or if there is a NUL anywhere, each up to a NUL.
  static func names(in bytes: [UInt8], of name: String) throws(StintError) -> [[UInt8]] {
    let separator: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
    let names = bytes.split(separator: separator).map { Array($0) }
    guard !names.isEmpty else {
      throw StintError(.usage, "The list of inputs in \(name) is empty.")
    }
    return names
  }

  private static func contents(_ path: String, _ name: String) throws(StintError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw fileError("cannot open", path, errno) }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    try OpenFile(descriptor: descriptor, path: name).readStream { piece in
      bytes += piece
      return true
    }
    return bytes
  }

  // MARK: Folders

  /// Takes all images in a folder and in those below it, in the order of their paths.
  ///
  /// Names that begin with a dot are left out, and so are links to folders, which may lead in
  /// circles.
  private mutating func walk(_ root: FilePath) throws {
    var found: [FilePath] = []
    var folders: [FilePath] = [""]
    while let folder = folders.popLast() {
      let place = folder.isEmpty ? root : root.appending(folder)
      do throws(StintError) {
        let directory = try fileSystem.openDirectory(at: place.text)
        defer { fileSystem.close(directory) }
        // One that is named itself holds inputs as well.
        if !folder.isEmpty, try isOutput(directory) { continue }
        for name in try fileSystem.names(in: directory) where name.first != UInt8(ascii: ".") {
          try take(name, in: directory, folder, of: root, &found, &folders)
        }
      } catch {
        try refuse(place.text, place.text, error)
      }
    }
    for path in found.sorted() {
      inputs.append(
        Input(path: root.appending(path).text, folder: path.folder, root: root.text))
    }
  }

  /// Sorts a name in a folder by what it is.
  private mutating func take(
    _ bytes: [UInt8], in directory: OpenFile, _ folder: FilePath, of root: FilePath,
    _ found: inout [FilePath], _ folders: inout [FilePath]
  ) throws(StintError) {
    let name = String(decoding: bytes, as: UTF8.self)
    let path = folder.isEmpty ? FilePath(name) : folder.appending(FilePath(name))
    if excluded.has(path) { return }
    let whole = "\(directory.path)/\(ShownName(bytes).text)"
    let kind: mode_t
    do throws(StintError) {
      kind = try self.kind(of: bytes, whole, in: directory)
    } catch {
      return try refuse(whole, whole, error)
    }
    let isText = name.utf8.elementsEqual(bytes)
    switch kind {
    case S_IFREG where !isImage(name): leaveOut(name)
    case S_IFREG where !isText, S_IFDIR where !isText: try refuse(whole, nil, Self.notUTF8)
    case S_IFREG: found.append(path)
    case S_IFDIR: folders.append(path)
    case _: break
    }
  }

  /// What a name is, by its type in `st_mode`; zero if it is gone by now.
  ///
  /// A link to a regular file counts as one.
  private func kind(
    of name: [UInt8], _ whole: String, in directory: OpenFile
  ) throws(StintError) -> mode_t {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return 0 }
      throw fileError("cannot look at", whole, errno)
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFLNK else { return kind }
    // A link that leads nowhere now is an input that fails by its name, and not one that is gone.
    guard fstatat(directory.descriptor, name, &status, 0) == 0 else { return S_IFREG }
    return status.st_mode & S_IFMT == S_IFREG ? S_IFREG : kind
  }

  private func isImage(_ name: String) -> Bool {
    let ending = FilePath(name).ending
    // PPM counts as an image in any case, because it is written in any case.
    if let format = OutputFormat(named: ending), format.trust == nil { return true }
    return UntrustedFormat(pathExtension: ending).map(trusted.contains) ?? false
  }

  private mutating func leaveOut(_ name: String) {
    leftOutCount += 1
    if let format = UntrustedFormat(pathExtension: FilePath(name).ending) {
      untrusted.insert(format)
    }
  }
}

/// What `--exclude` leaves out of folders: names with `*`, `?` and `[a-z]`.
struct ExcludePatterns {
  /// The names of each pattern; `**` stands for any number of them.
  private let patterns: [[String]]

  /// Reads patterns.
  ///
  /// - Throws: ``StintError`` with the code `usage` for one without a name.
  init(_ texts: [String]) throws(StintError) {
    patterns = try texts.map { text throws(StintError) in
      let names = FilePath(text).parts.map(\.text)
      guard !names.isEmpty else {
        throw StintError(.usage, "--exclude \"\(text)\" has no name, so nothing would be left out.")
      }
      // A pattern that has a slash begins at the folder.
      let isName = !FilePath(text).withoutLastSlashes.text.utf8.contains(UInt8(ascii: "/"))
      return isName ? ["**"] + names : names
    }
  }

  /// Whether a path below the folder is left out, with all that is below it.
  func has(_ path: FilePath) -> Bool {
    guard !patterns.isEmpty else { return false }
    // In the C locale a question mark is one byte.
    let locale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    let former = uselocale(locale)
    defer {
      uselocale(former)
      if let locale { freelocale(locale) }
    }
    let names = path.parts.map(\.text)
    return patterns.contains { Self.matches($0[...], names[...]) }
  }

  private static func matches(
    _ pattern: ArraySlice<String>, _ names: ArraySlice<String>
  ) -> Bool {
    guard let first = pattern.first else { return names.isEmpty }
    let rest = pattern.dropFirst()
    if first == "**" {
      return (names.startIndex...names.endIndex).contains { matches(rest, names[$0...]) }
    }
    guard let name = names.first, fnmatch(first, name, 0) == 0 else { return false }
    return matches(rest, names.dropFirst())
  }
}
#endif
