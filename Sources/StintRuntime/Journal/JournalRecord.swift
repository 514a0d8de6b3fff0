package import StintCore

/// One line of the journal as it was read: when, by whom, what.
package struct JournalRecord: Hashable, Sendable {
  /// What a line tells.
  package enum Content: Hashable, Sendable {
    /// Something that the worker recorded.
    case event(JournalEvent)
    /// The store is about to decode a generation: if nothing follows, the decoding crashed (C7).
    case restoreAttempted(sequence: UInt64)
    /// The result with this length and checksum is about to get its final name: if no finish
    /// follows, a file like that under the name is this job's all the same.
    case publishing(sizeBytes: Int, checksum: String)
    /// Before anything else the process waited so long for another one to give the job back.
    case lockAwaited(took: Duration)
    /// The first bytes of the result are about to go where nothing can be taken back.
    case streaming
    /// A line of a version to come; it is kept and skipped.
    case unknown(String)
  }

  /// When and by whom.
  package struct Stamp: Hashable, Sendable {
    /// Nanoseconds since 1970, to the millisecond; a label only.
    package var unixNanoseconds: Int64
    /// The boot that ``instant`` belongs to.
    package var bootID: String
    /// The time since that boot.
    package var instant: Instant
    /// The process.
    package var pid: Int32
    /// Where an engine runs the process; only the first line of a stint holds it.
    package var engineJob: EngineJob?

    package init(unixNanoseconds: Int64, bootID: String, instant: Instant, pid: Int32) {
      self.unixNanoseconds = unixNanoseconds
      self.bootID = bootID
      self.instant = instant
      self.pid = pid
    }

    /// Whether both were made by one process; a process of another PID namespace may have the same
    /// number.
    package func isOfSameProcess(as other: Stamp) -> Bool {
      bootID == other.bootID && pid == other.pid
    }

    /// Now, by the identity's clocks.
    package init(_ identity: StoreIdentity) {
      self.init(
        unixNanoseconds: identity.wallClock() / 1_000_000 * 1_000_000, bootID: identity.bootID,
        instant: identity.bootClock(), pid: identity.pid)
      engineJob = identity.engineJob
    }
  }

  package var stamp: Stamp
  package var content: Content

  package init(stamp: Stamp, content: Content) {
    self.stamp = stamp
    self.content = content
  }
}
