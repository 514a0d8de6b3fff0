/// Holds a value that is used on one lane alone, for those who are on other threads.
final class Confined<Value>: @unchecked Sendable {
  // Unchecked: the value is set before anybody else has this, and used on the lane alone.

  private let lane: any Lane
  private(set) var value: Value!

  /// Makes the value, which may keep an unowned reference to this.
  init(to lane: any Lane, _ make: (Confined) throws -> Value) rethrows {
    self.lane = lane
    value = try make(self)
  }

  /// Runs the body on the lane, after what runs there now; any thread may call it.
  func later(_ body: @escaping @Sendable (Value) -> Void) {
    lane.enqueue { body(self.value) }
  }
}
