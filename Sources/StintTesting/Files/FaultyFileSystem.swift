import Glibc
public import Stint
import StintCore

/// A file system in memory, as one process sees it, that knows what is on the disk and what only
/// seems to be, and that fails when the test says so.
///
/// A job works on it as on a real disk. What is written goes to a cache, and to the disk when the
/// store waits for it; a power loss leaves what the disk has, of the rest some sectors and some
/// names, as a seed decides. Other processes on the same disk come from ``anotherProcess()`` and
/// have descriptors and locks of their own.
///
/// ```swift
/// let disk = FaultyFileSystem()
/// disk.faults.add(.diskFull, at: .write, pathSuffix: ".tmp")
/// let job = try Job(of: computation, on: disk)
/// ```
///
/// Any thread may use it. The same calls with the same faults give the same files and the same list
/// of ``calls``.
public final class FaultyFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked: the state of this process is touched under the disk's lock alone, as the disk is.

  /// What of the bytes and names that the store did not wait for survives a power loss.
  public enum Survival: Hashable, Sendable {
    /// Nothing: only what was waited for.
    case nothing
    /// All of it, as after a kill of every process.
    case everything
    /// Each sector, each length and each name by itself, as the seed decides.
    case some(seed: UInt64)

    var seed: UInt64 {
      if case .some(let seed) = self { seed } else { 0 }
    }
  }

  /// The planted fault of the disk itself, for tests of tests: a call that waits for the disk
  /// returns, and nothing is there.
  public enum IgnoredSynchronization: Hashable, Sendable {
    /// The disk is honest.
    case none
    /// Names are not on the disk when it says so.
    case directories
    /// Nothing is.
    case all
  }

  /// What belongs to one process.
  struct Process {
    let number: Int32
    var isAlive = true
    var open: [Int32: DiskNode] = [:]
    var faults = FaultPlan()
    var calls: [FileCall] = []
    var callCount = 0
    var keepsCalls = true
    var onEnd: (@Sendable () -> Void)?
  }

  /// Sectors are smaller than a disk's 512 bytes, so that small files are torn, too.
  public let sectorBytes: Int
  let disk: Protected<MemoryDisk>
  private var process: Process

  /// Creates a process on an empty disk.
  ///
  /// - Parameter sectorBytes: The piece of a file that a power loss takes or leaves as a whole.
  public convenience init(sectorBytes: Int = 16) {
    precondition(sectorBytes > 0, "a sector has at least a byte")
    self.init(disk: Protected(MemoryDisk()), sectorBytes: sectorBytes)
  }

  private init(disk: Protected<MemoryDisk>, sectorBytes: Int) {
    self.disk = disk
    self.sectorBytes = sectorBytes
    process = disk.withLock { disk in
      defer { disk.nextProcess += 1 }
      disk.processes.insert(disk.nextProcess)
      return Process(number: disk.nextProcess)
    }
  }

  deinit {
    // A process that nobody holds any more has ended: its locks are free.
    endProcess()
  }

  // MARK: Processes and boots

  /// Another process on the same disk, with descriptors and locks of its own and without faults.
  public func anotherProcess() -> FaultyFileSystem {
    FaultyFileSystem(disk: disk, sectorBytes: sectorBytes)
  }

  /// The disk as the next boot finds it, seen by the first process of that boot; this disk stays as
  /// it is.
  ///
  /// - Parameter survival: What is left of what the store did not wait for.
  /// - Returns: A process on a copy of the disk.
  public func rebooted(_ survival: Survival) -> FaultyFileSystem {
    let copy = disk.withLock { $0.rebooted(survival, sectorBytes: sectorBytes) }
    return FaultyFileSystem(disk: Protected(copy), sectorBytes: sectorBytes)
  }

  /// Kills this process (SIGKILL): its descriptors and locks are gone, what it wrote stays in the
  /// cache, and every later call of it does nothing and fails.
  public func killProcess() {
    let onEnd = endProcess()
    onEnd?()
  }

  /// Takes the power away: every later call of any process on this disk does nothing and fails.
  public func losePower() {
    disk.withLock { $0.hasPower = false }
    killProcess()
  }

  /// Whether the process lives and the machine has power.
  public var isAlive: Bool {
    disk.withLock { $0.hasPower && process.isAlive }
  }

  /// Called once when a fault, ``killProcess()`` or ``losePower()`` ends this process;
  /// ``VirtualSystem/share(processOf:)`` sets it.
  func setOnEnd(_ body: @escaping @Sendable () -> Void) {
    disk.withLock { _ in process.onEnd = body }
  }

  // MARK: Faults and calls

  /// What goes wrong in this process.
  public var faults: FaultPlan {
    get { disk.withLock { _ in process.faults } }
    set { disk.withLock { _ in process.faults = newValue } }
  }

  /// The planted fault of the disk.
  public var ignoredSynchronization: IgnoredSynchronization {
    get { disk.withLock { $0.ignoredSynchronization } }
    set { disk.withLock { $0.ignoredSynchronization = newValue } }
  }

  /// Whether the disk is a file server's: a file that is removed while a process has it open stays
  /// under a name that begins with `.nfs` until that process closes it.
  public var keepsOpenFiles: Bool {
    get { disk.withLock { $0.keepsOpenFiles } }
    set { disk.withLock { $0.keepsOpenFiles = newValue } }
  }

  /// The calls of this process, oldest first; those that were interrupted and made again are there
  /// twice.
  public var calls: [FileCall] { disk.withLock { _ in process.calls } }

  /// How many calls this process has made.
  public var callCount: Int { disk.withLock { _ in process.callCount } }

  /// Whether calls are kept for ``calls``; a long simulation need not.
  public var keepsCalls: Bool {
    get { disk.withLock { _ in process.keepsCalls } }
    set { disk.withLock { _ in process.keepsCalls = newValue } }
  }

  // MARK: Making calls

  /// Makes one call: counts it, lets its fault happen, and runs the body if it has any effect.
  func perform<Result>(
    _ kind: FileCall.Kind, _ directory: String, _ name: String? = nil,
    _ body: (inout MemoryDisk, inout Process, FileFault?) throws(StintError) -> Result
  ) throws(StintError) -> Result {
    let call = FileCall(kind: kind, directory: directory, name: name)
    var ended: (@Sendable () -> Void)?
    defer { ended?() }
    return try disk.withLock { disk throws(StintError) in
      guard disk.hasPower, process.isAlive else {
        throw fileError("this process has ended before \(kind.rawValue) of", call.path, EIO)
      }
      var fault = enter(call)
      if fault == .interrupted, ![.write, .append].contains(kind) { fault = enter(call) }
      switch fault {
      case .fail(let code):
        throw fileError("\(kind.rawValue) fails on", call.path, code)
      case .kill, .powerLoss:
        if fault == .powerLoss { disk.hasPower = false }
        ended = end(&disk)
        let what = fault == .kill ? "the process is killed" : "power goes"
        throw fileError("\(what) at \(kind.rawValue) of", call.path, EIO)
      case .repeated where kind.changesNames:
        _ = try body(&disk, &process, fault)
        return try body(&disk, &process, fault)
      case .short, .interrupted, .corrupt, .repeated, nil:
        return try body(&disk, &process, fault)
      }
    }
  }

  private func enter(_ call: FileCall) -> FileFault? {
    process.callCount += 1
    if process.keepsCalls { process.calls.append(call) }
    return process.faults.isEmpty
      ? nil : process.faults.fault(at: call, number: process.callCount)
  }

  /// Does something to the disk that is no call and cannot fail.
  func withoutCall<Result>(_ body: (inout MemoryDisk, inout Process) -> Result) -> Result {
    disk.withLock { body(&$0, &process) }
  }

  @discardableResult
  private func endProcess() -> (@Sendable () -> Void)? {
    disk.withLock { end(&$0) }
  }

  /// To be called under the lock; what is returned is called outside of it.
  private func end(_ disk: inout MemoryDisk) -> (@Sendable () -> Void)? {
    guard process.isAlive else { return nil }
    process.isAlive = false
    disk.processes.remove(process.number)
    for (descriptor, node) in process.open {
      if node.lockedBy == descriptor { node.lockedBy = nil }
      node.close()
    }
    process.open = [:]
    defer { process.onEnd = nil }
    return process.onEnd
  }
}
