public import Stint
import StintCore

extension Job {
  /// Finds the job of a computation on a faulty file system, whose process is the one that opens
  /// it.
  ///
  /// - Parameters:
  ///   - computation: What decides the result.
  ///   - fileSystem: Where it lives; the path of its jobs is `/jobs` unless the options say
  ///     otherwise.
  ///   - clock: The clock for the journal; its wall-clock time is made from the same.
  ///   - options: How it is opened.
  ///   - report: Called with a sentence when something is wrong that does not stop the work.
  /// - Throws: ``StintError``: `busy` if another process works on it, `damaged`, `mismatch`,
  ///   `unavailable`, `io`.
  public convenience init<Computation: ChunkedComputation>(
    of computation: Computation, on fileSystem: FaultyFileSystem,
    clock: VirtualClock = VirtualClock(), options: Options = Options(),
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var options = options
    options.jobsDirectory = options.jobsDirectory ?? FaultyFileSystem.jobsPath
    try self.init(
      kind: Computation.kind, parameters: computation.parameters,
      stateVersion: Computation.stateVersion, options: options, fileSystem: fileSystem,
      identity: fileSystem.identity(clock: clock), report: report)
  }
}

extension Job {
  /// Finds a job whose partial files a check looks at when it is finished.
  convenience init<Computation: ChunkedComputation>(
    observing computation: Computation, on fileSystem: FaultyFileSystem,
    clock: VirtualClock = VirtualClock()
  ) throws {
    var options = Options()
    options.keepsCheckpoints = true
    try self.init(of: computation, on: fileSystem, clock: clock, options: options)
  }
}

extension FaultyFileSystem {
  /// Where jobs live by default.
  public static let jobsPath = "/jobs"

  /// The process on a machine of its own.
  func identity(clock: VirtualClock) -> StoreIdentity {
    let number = withoutCall { (_, process) in process.number }
    return StoreIdentity(
      host: "virtual", bootID: "virtual-boot", pid: number, processStart: UInt64(number),
      userID: 1000,
      // Somewhere in 2027, so that labels look like labels.
      wallClock: { 1_800_000_000_000_000_000 + clock.now.nanoseconds },
      bootClock: { clock.now },
      startOfProcess: { [weak self] pid in self?.isRunning(pid) == true ? UInt64(pid) : nil })
  }

  private func isRunning(_ number: Int32) -> Bool {
    withoutCall { (disk, _) in disk.processes.contains(number) }
  }
}
