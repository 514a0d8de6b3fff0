/// How much of a computation's partial files the newest checkpoint counts on.
///
/// The rest has to be synchronized before the next one, which is most of what a checkpoint costs
/// once output is being written.
package final class SavedOutput: Sendable {
  private let saved = Protected(0)

  /// Creates the account of a computation that has written nothing.
  package init() {}

  /// The checkpoint that is being made, or was loaded, counts on that many bytes.
  package func counts(on bytes: Int) {
    saved.withLock { $0 = bytes }
  }

  /// How many of that many bytes are still to be synchronized, about.
  package func unsaved(_ bytes: Int) -> Int {
    saved.withLock { max(0, bytes - $0) }
  }
}
