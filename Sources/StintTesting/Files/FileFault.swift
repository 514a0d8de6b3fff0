import Glibc

/// What goes wrong at a call of the file system.
public enum FileFault: Hashable, Sendable {
  /// The call fails with this errno and has no effect.
  case fail(Int32)
  /// A write takes only half of the bytes; any other call is not affected.
  case short
  /// A signal interrupts the call: a write takes only a part, at least a byte; any other call is
  /// made again, as every file system that the store uses does by itself (R15).
  case interrupted
  /// One bit of what is read or written is wrong; any other call is not affected.
  case corrupt
  /// The process is killed before the call takes effect: its descriptors and locks are gone, and
  /// what it wrote stays.
  case kill
  /// Power goes before the call takes effect, for every process on the disk.
  case powerLoss

  /// A call that changes names is done, its answer is lost, and the client of the file server asks
  /// again: the second answer counts. Any other call is not affected.
  case repeated

  /// The disk is full.
  public static let diskFull = FileFault.fail(ENOSPC)
  /// The disk reports an error.
  public static let ioError = FileFault.fail(EIO)
}

extension FileFault: CustomStringConvertible {
  /// The fault in a word or two.
  public var description: String {
    switch self {
    case .fail(let code): "fail(\(code): \(String(cString: strerror(code))))"
    case .short: "short"
    case .interrupted: "interrupted"
    case .corrupt: "corrupt"
    case .kill: "kill"
    case .powerLoss: "powerLoss"
    case .repeated: "repeated"
    }
  }
}
