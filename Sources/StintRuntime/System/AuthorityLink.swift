/// Tells the authority in another process what this one's application has open.
package protocol AuthorityLink: AnyObject, Sendable {
  /// Tasks came or went; the link looks for itself which. Any thread, under no lock of the
  /// driver's.
  func tasksChanged()
  /// This machine saw the deadline pass: what it does with its tasks from now on does not mean that
  /// they were ended in time.
  func terminationDecided()
  /// The instant at which the next request may begin is another one; nil for none.
  func nextBeginChanged(to begin: Instant?)
  /// This process is about to stop itself, because it is suspended; the authority is told.
  ///
  /// - Returns: Whether it may: not if the suspension is over, or about to be.
  func mayStop() -> Bool
}
