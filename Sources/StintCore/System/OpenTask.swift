/// A task that is open, as a list for people shows it (A22).
public struct OpenTask: Hashable, Sendable {
  /// How far a task is.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The authority has not answered yet; the task holds until it does.
    case pending
    /// The task holds.
    case granted
    /// Its handler is about to be called.
    case warned
    /// Its handler is running.
    case handling
    /// Its handler has been called; it only waits to be ended (A17).
    case spent
    /// The authority refused it after its identifier was out (A4).
    case denied
  }

  /// The task's identifier.
  public var identifier: BackgroundTaskIdentifier
  /// The task's name, for people.
  public var name: String
  /// How long ago it was begun.
  public var age: Duration
  /// Where it was begun.
  public var origin: TaskOrigin
  /// How far it is.
  public var state: State

  /// Creates an entry of the list.
  ///
  /// - Parameters:
  ///   - identifier: The task's identifier.
  ///   - name: The task's name.
  ///   - age: How long ago it was begun.
  ///   - origin: Where it was begun.
  ///   - state: How far it is.
  public init(
    identifier: BackgroundTaskIdentifier, name: String, age: Duration, origin: TaskOrigin,
    state: State
  ) {
    self.identifier = identifier
    self.name = name
    self.age = age
    self.origin = origin
    self.state = state
  }
}
