import Synchronization

/// A flag that one thread raises and another polls in its innermost loop (a relaxed load, below 1
/// ns).
public final class StopFlag: Sendable {
  private let raised = Atomic<Bool>(false)

  /// Creates a flag that is not raised.
  public init() {}

  /// Whether the work should give up.
  public var isRaised: Bool {
    raised.load(ordering: .relaxed)
  }

  /// Asks the work to give up; any thread may, any number of times.
  public func raise() {
    raised.store(true, ordering: .relaxed)
  }

  /// Takes the request back, before the next chunk.
  public func lower() {
    raised.store(false, ordering: .relaxed)
  }
}
