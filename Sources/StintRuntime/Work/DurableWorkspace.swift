/// A workspace that lies in a folder of a job, which may not be there yet.
package protocol DurableWorkspace: Workspace {
  /// Makes everything durable that was written to partial files, and the directory in which they
  /// are.
  ///
  /// For work that shows a part of its result before the next checkpoint.
  ///
  /// - Throws: ``StintError``: `io`, or `busy` if the job is another process's by now.
  func makeDurable() throws
}

extension Workspace {
  /// Makes everything durable that was written to partial files, their folder included.
  package func makeAllDurable() throws {
    if let durable = self as? any DurableWorkspace {
      try durable.makeDurable()
    } else {
      try synchronize()
    }
  }
}
