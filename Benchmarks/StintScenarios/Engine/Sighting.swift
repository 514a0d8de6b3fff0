/// Something that was seen of a worker during a trip, from outside.
package struct Sighting: Hashable, Sendable {
  /// What was seen.
  ///
  /// Amounts of work are of the whole job, in the unit of their ``Observation``.
  package enum Event: Hashable, Sendable {
    /// The system granted a task under this name.
    case taskBegan(String)
    /// The task was ended.
    case taskEnded(String)
    /// The worker was told that its time ends.
    case warned
    /// An expiration handler has returned.
    case handlerReturned
    /// Work was begun to be made durable.
    case savingBegan
    /// So much work came to be durable.
    case durable(Double)
    /// The worker said that so much work is saved.
    case saidSaved(Double)
    /// The worker said that so much work is done.
    case reported(Double)
  }

  /// Since the trip's beginning.
  package var at: Nanoseconds
  package var event: Event

  package init(at: Nanoseconds, _ event: Event) {
    self.at = at
    self.event = event
  }
}
