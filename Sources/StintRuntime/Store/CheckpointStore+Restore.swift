import StintCore

extension CheckpointStore {
  /// What a restore needs to know and tells while it looks for the newest whole generation.
  struct RestoreHooks {
    /// Whether a generation crashed the restart as often as the policy allows (C7).
    var crashedTooOften: (UInt64) -> Bool = { _ in false }
    /// A verified generation is about to be decoded.
    var willTry: (UInt64) -> Void = { _ in }
    /// An error that is no damage ended the decoding of a generation, and the process goes on.
    var didFail: (UInt64) -> Void = { _ in }
    /// A file was renamed aside: its old name, and why.
    var didSetAside: (String, String) -> Void = { _, _ in }
    /// Something that a person should know.
    var notice: (String) -> Void = { _ in }
  }

  /// Finds the newest whole generation and makes a state of it (C2, C7).
  ///
  /// Generations that crashed the restart too often come last: they are set aside once an older one
  /// is loaded, and tried again if there is none, because a job with nothing left would be lost
  /// (W13 ends it if that crashes too).
  ///
  /// - Returns: The state, or nil if there is no generation and none was set aside.
  /// - Throws: ``StintError``: `damaged`, `mismatch` or `io`.
  func restore<State>(
    hooks: RestoreHooks = RestoreHooks(), _ decode: (UnsafeRawBufferPointer) throws -> State
  ) throws -> RestoredWork<State>? {
    let found = try generations()
    let crashed = found.newestFirst.filter(hooks.crashedTooOften)
    let others = found.newestFirst.filter { !crashed.contains($0) }
    var refused: [String] = []

    for sequence in others + crashed {
      if crashed.contains(sequence) {
        hooks.notice(
          "checkpoint \(sequence) crashed the restart before, but no other one is left: trying again"
        )
      }
      switch try attempt(sequence, hooks: hooks, decode) {
      case .restored(let work):
        // Its process may have been killed before the folder was synchronized: from now on it
        // counts as durable.
        try fileSystem.synchronize(directory)
        state.withLock { _ = $0.verified.insert(sequence) }
        for old in crashed where old > sequence {
          setAside(old, why: "crashed the restart too often", hooks: hooks)
        }
        return work
      case .refused(let why):
        refused.append("\(Generations.name(of: sequence)) \(why)")
        setAside(sequence, why: why, hooks: hooks)
      }
    }
    if refused.isEmpty && found.setAside.isEmpty { return nil }
    throw Self.nothingLeft(in: directory.path, refused: refused, before: found.setAside)
  }

  private enum Attempt<State> {
    case restored(RestoredWork<State>)
    case refused(String)
  }

  private func attempt<State>(
    _ sequence: UInt64, hooks: RestoreHooks, _ decode: (UnsafeRawBufferPointer) throws -> State
  ) throws -> Attempt<State> {
    var isDecoding = false
    do {
      return try reader.withPayload(of: sequence, expecting: expected) { header, payload in
        hooks.willTry(sequence)
        isDecoding = true
        let workTime = Duration.nanoseconds(Int64(clamping: header.workTimeNanoseconds))
        return .restored(
          RestoredWork(state: try decode(payload), sequence: sequence, workTime: workTime))
      }
    } catch let fault as CheckpointFault where fault.isMismatch {
      throw StintError(
        .mismatch,
        "\(directory.path)/\(Generations.name(of: sequence)) \(fault)",
        remedies: [.startOver, "use the program that wrote it"])
    } catch let fault as CheckpointFault {
      return .refused(fault.description)
    } catch let error as StintError where error.code == .damaged {
      return .refused("does not hold a state: \(error)")
    } catch let error as StintError where error.code == .io && !isDecoding && error.isOfTheFile {
      return .refused("\(error)")
    } catch let error as StintError where error.code == .io {
      if isDecoding { hooks.didFail(sequence) }
      throw StintError(
        .io,
        "checkpoint \(sequence) cannot be loaded: \(error); no file was changed, run it again",
        errno: error.errno, underlying: error.underlying)
    }
  }

  private func setAside(_ sequence: UInt64, why: String, hooks: RestoreHooks) {
    let name = Generations.name(of: sequence)
    do {
      let newName = try generations().nameAside(of: sequence)
      try fileSystem.rename(name, in: directory, to: newName, in: directory)
      try fileSystem.synchronize(directory)
      hooks.didSetAside(name, why)
    } catch {
      hooks.notice("\(name) \(why), and it cannot be set aside: \(error)")
    }
  }

  private static func nothingLeft(
    in path: String, refused: [String], before: [String]
  ) -> StintError {
    var reasons = refused
    if !before.isEmpty { reasons.append("set aside earlier: \(before.joined(separator: ", "))") }
    return StintError(
      .damaged,
      "no undamaged checkpoint is left in \(path) (\(reasons.joined(separator: "; ")))",
      remedies: ["put a good copy there", .startOver])
  }
}
