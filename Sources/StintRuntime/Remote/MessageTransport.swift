import StintCore

/// Carries lines between the two ends of the system protocol; neither end can block the other.
package protocol MessageTransport: AnyObject, Sendable {
  /// Begins to hand over what arrives; called once.
  func start(_ receiver: any MessageReceiver)

  /// Puts a line into the queue. Does no I/O, so it may be called under a lock that keeps lines in
  /// order.
  func enqueue(_ line: String)

  /// Sends what is queued, as far as that can be done without waiting; the rest goes later by
  /// itself.
  func flush()

  /// Says and hears no more.
  func close()
}

/// Takes what arrives, one call at a time, under no lock of the transport's.
package protocol MessageReceiver: AnyObject, Sendable {
  /// A line arrived; it comes without its newline.
  func received(_ line: [UInt8])

  /// The other end has gone, does not read, or sent what cannot be a line; nothing more arrives.
  func conversationEnded(_ why: String)
}
