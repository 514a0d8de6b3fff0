import Glibc
import StintCore
import StintRuntime

extension SubmitCommand {
  /// What the shards of a set of images take their inputs from.
  enum Items: Hashable, Sendable {
    /// This list, in turn.
    case list([UInt8])
    /// The command line, by names: shards have begun so.
    case byNames
    /// Nothing: the program that knows the inputs has said why.
    case refused(status: Int32)
  }

  /// How long the inputs may take to be found, in folders of a slow file server.
  private static let searchMayTake = Duration.seconds(3600)
  private static let mostBytes = 256 << 20

  /// Makes the list of the inputs, and gives it to those chains of the parts that are there.
  ///
  /// A chain that is queued or running takes it for its next slice.
  ///
  /// - Throws: ``StintError``: `usage`, `unavailable`, `io`.
  func freeze(_ whole: ChainRecord, in shards: [Shard]) throws -> Items {
    let known = Set(try context.catalog.keys())
    let chains = shards.map { shard in
      JobKey(kind: ChainJob.kind, parameters: parameters(whole, shard), outputPath: nil).description
    }.filter(known.contains)
    let items = goesByNames(chains) ? .byNames : try list(of: whole, in: shards.count)
    let input: [UInt8]?
    switch items {
    case .refused: return items
    case .byNames: input = nil
    case .list(let bytes): input = bytes
    }
    for chain in chains { try put(input, into: chain) }
    return items
  }

  /// Whether a chain of an earlier version, or one whose work goes by names, has not ended.
  private func goesByNames(_ chains: [String]) -> Bool {
    for chain in chains {
      let path = "\(context.catalog.jobsPath)/\(chain)"
      guard let record = try? ChainJob.read(path), record.state != .ended,
        access("\(path)/\(ChainTie.inputName)", F_OK) != 0
      else { continue }
      writeToStandardError(
        "stint: \(chain) was submitted before, with names that decide which shard makes an image; "
          + "all shards keep to that, and differ in size.\n")
      return true
    }
    return false
  }

  private func put(_ input: [UInt8]?, into chain: String) throws {
    let fileSystem = PosixFileSystem()
    let root = try fileSystem.openDirectory(at: "\(context.catalog.jobsPath)/\(chain)")
    defer { fileSystem.close(root) }
    if let input {
      try fileSystem.replace(ChainTie.inputName, in: root, with: input)
    } else {
      try fileSystem.removeIfPresent(ChainTie.inputName, in: root)
      try fileSystem.synchronize(root)
    }
  }

  /// Asks the program that does the work; what it says goes to standard error.
  private func list(of whole: ChainRecord, in count: Int) throws -> Items {
    var call = ProgramCall(
      [program, Verb.items.name, "--jobs-dir", context.catalog.jobsPath, String(count)]
        + whole.words, within: Self.searchMayTake)
    call.mostBytes = Self.mostBytes
    switch call.run() {
    case .ended(let status, let output, let errors):
      writeToStandardError(String(decoding: errors, as: UTF8.self))
      guard status == ExitStatus.finished else { return .refused(status: status) }
      guard output.count < Self.mostBytes else {
        throw StintError(
          .usage,
          "The list of the inputs is longer than \(Self.mostBytes >> 20) MiB; submit them as several "
            + "sets.")
      }
      return output.isEmpty ? .byNames : .list(output)
    case .notStarted(let code):
      throw StintError(
        .unavailable, "\(program) cannot be started: \(String(cString: strerror(code))).",
        errno: code)
    case .tookTooLong(let patience):
      throw StintError(
        .unavailable, "The inputs were not found within \(patience.compactText); try again.")
    }
  }
}
