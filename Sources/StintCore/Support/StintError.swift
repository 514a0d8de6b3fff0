/// What went wrong, with a sentence for the person who has to act on it.
///
/// Expiry, suspension and cancellation are outcomes, not errors. The command line maps ``code`` to
/// its exit status in one place.
public struct StintError: Error, Hashable, Sendable {
  /// The kind of failure; more kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, stable across versions.
    public var description: String

    /// A request that cannot be understood or carried out as given.
    public static let usage = Code(description: "usage")
    /// Input, a checkpoint or a job file is damaged and nothing whole is left to go on from.
    public static let damaged = Code(description: "damaged")
    /// Parameters, kind or format version differ from those of the stored work.
    public static let mismatch = Code(description: "mismatch")
    /// Something that is needed is missing: memory, disk space, a kernel feature.
    public static let unavailable = Code(description: "unavailable")
    /// Another process holds the job.
    public static let busy = Code(description: "busy")
    /// Several stints in a row saved nothing new (W13), or no budget of this policy fits a chunk
    /// (W2).
    public static let noProgress = Code(description: "noProgress")
    /// A check of our own results failed.
    public static let checkFailed = Code(description: "checkFailed")
    /// The output cannot be created.
    public static let cannotCreate = Code(description: "cannotCreate")
    /// Reading or writing failed.
    public static let io = Code(description: "io")
    /// Some of several pieces of work failed; the others are complete.
    public static let partlyFailed = Code(description: "partlyFailed")

    /// A kind that was written down by its name.
    package init(description: String) {
      self.description = description
    }
  }

  /// The kind of failure.
  public var code: Code
  /// What is wrong, with the object and the limit.
  public var message: String
  /// What helps, any one of these; ``description`` ends with them.
  public var remedies: [Remedy]
  /// The error number of the system call, or 0.
  public var errno: Int32
  /// The error that the program's own code threw, such as a computation's chunk; nil if this is
  /// Stint's own failure.
  ///
  /// It does not count when two errors are compared.
  public var underlying: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What is wrong, with the object and the limit.
  ///   - remedies: What helps, any one of these.
  ///   - errno: The error number of the system call, or 0.
  ///   - underlying: The error that this one reports, if other code threw it.
  public init(
    _ code: Code, _ message: String, remedies: [Remedy] = [], errno: Int32 = 0,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.remedies = remedies
    self.errno = errno
    self.underlying = underlying
  }

  /// The same failure, said of what it is about.
  package func about(_ object: String) -> StintError {
    var error = self
    error.message = "\(object): \(message)"
    return error
  }
}

extension StintError {
  /// Whether both say the same of a failure.
  public static func == (one: StintError, other: StintError) -> Bool {
    one.code == other.code && one.message == other.message && one.remedies == other.remedies
      && one.errno == other.errno
  }

  /// Feeds what is compared into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(remedies)
    hasher.combine(errno)
  }
}

extension StintError: CustomStringConvertible {
  /// The message, and what to do.
  public var description: String { Remedy.text(message, remedies, \.description) }
}
