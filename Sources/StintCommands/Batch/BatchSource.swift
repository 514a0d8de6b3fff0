import Glibc
import StintCore
import StintRuntime

/// Where the lines of a batch come from.
struct BatchSource: Sendable {
  /// The absolute path with every link resolved; nil for standard input.
  let path: String?
  /// What messages call it.
  let name: String
  /// Whether the user gave a relative path.
  private let isRelative: Bool
  /// A copy that is read in its place; nil if there is none.
  private let copy: String?
  /// The text that is filled with values; nil if the lines are those of a file.
  private let template: String?
  /// Whether lines or values come from standard input.
  private let readsStandardInput: Bool

  /// Finds the file, or where a copy of it lies, which is read in its place; nil is standard input.
  ///
  /// - Throws: ``StintError`` with the code `io` if there is none.
  init(file: String?, copy: String? = nil) throws(StintError) {
    template = nil
    readsStandardInput = file == nil
    self.copy = copy.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    isRelative = file.map { !FilePath($0).isAbsolute } ?? false
    guard let file else {
      (path, name) = (nil, "the standard input")
      return
    }
    do throws(StintError) {
      path = try Self.resolved(FilePath(file), mayBeGone: self.copy != nil).text
    } catch  where error.errno != 0 {
      let why = String(cString: strerror(error.errno))
      throw StintError(.io, "the file \(file) cannot be opened: \(why)", errno: error.errno)
    }
    name = "the file \(file)"
  }

  /// Finds what a command line names.
  ///
  /// - Throws: ``StintError`` with the code `io` if there is none.
  init(_ options: BatchOptions, copy: String? = nil) throws(StintError) {
    if let template = options.template {
      self.init(template: template, readsStandardInput: options.readsStandardInput)
    } else {
      try self.init(file: options.file, copy: copy)
    }
  }

  private init(template: String, readsStandardInput: Bool) {
    (path, name, copy, self.template) = (nil, "the template", nil, template)
    (isRelative, self.readsStandardInput) = (false, readsStandardInput)
  }

  /// The path with every link resolved; of a file that is gone, that of its folder.
  private static func resolved(_ file: FilePath, mayBeGone: Bool) throws(StintError) -> FilePath {
    do throws(StintError) {
      return try file.resolved()
    } catch  where mayBeGone && error.errno == ENOENT {
      let absolute = file.from(try FilePath(".").resolved())
      return try absolute.folder?.resolved().appending(absolute.name) ?? absolute
    }
  }

  /// Reads all of it; of a text that is too long, enough to see that.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  func read() throws(StintError) -> [UInt8] {
    var bytes: [UInt8] = []
    try read { (piece) throws(StintError) in
      bytes += piece
      return bytes.count <= BatchText.Limits.fileBytes
    }
    return bytes
  }

  /// Reads it in pieces, until the body returns false.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  private func read(
    _ take: (ArraySlice<UInt8>) throws(StintError) -> Bool
  ) throws(StintError) {
    var descriptor = STDIN_FILENO
    let path = copy ?? path
    if let path {
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { throw fileError("cannot open", name, errno) }
    }
    defer { if path != nil { close(descriptor) } }
    try OpenFile(descriptor: descriptor, path: name).readStream(take)
  }

  private static func form(
    _ template: String, _ options: BatchOptions
  ) throws(StintError) -> BatchTemplate {
    do throws(BatchTemplate.Fault) {
      return try BatchTemplate(template, isShell: options.isShell, lists: options.lists.count)
    } catch {
      throw StintError(
        .usage, "--template: \(error.reason)\(error.isOfScript ? "; or use --shell" : "").")
    }
  }

  /// Reads the lines of a batch; the bytes of its file may have been read before.
  ///
  /// - Throws: ``StintError``: `usage`, which names every line that is wrong, or `io`.
  func reading(
    by lines: LineReader, _ options: BatchOptions, input: [UInt8]? = nil
  ) throws(StintError) -> BatchReader.Reading {
    let reader = BatchReader(
      lines: lines, isShell: options.isShell, keepsDuplicates: options.keepsDuplicates)
    if let template {
      return try reader.read(
        try Self.form(template, options), try options.lists.values())
    }
    if let input { return try reader.read(input, from: name) }
    return try reader.read(from: name, read)
  }

  /// What tells a batch from others: the file, where it is run, and the name that it was given.
  ///
  /// An older version had the name among the parameters.
  func forms(
    _ terms: JobTerms, workingDirectory: String, jobsDirectory: String
  ) -> JobForms {
    var values = ["directory": workingDirectory]
    values["template"] = template
    // What is filled into a template is no part of the batch, as the lines of a file are not.
    if template == nil || readsStandardInput { values["file"] = path ?? "-" }
    var terms = terms
    terms.paths = ["directory": true]
    if path != nil { terms.paths["file"] = isRelative }
    terms.changeable = ["file", "template"]
    if let name = terms.name {
      terms.earlier = [JobParameters(values.merging(["name": name]) { $1 })]
    }
    return JobForms(
      kind: Kind.batch.name, parameters: JobParameters(values), outputPath: nil, terms: terms,
      jobsPath: jobsDirectory)
  }
}
