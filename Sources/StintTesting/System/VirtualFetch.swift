import Stint
public import StintCore

/// The single-use completion of a background fetch (B2).
public final class VirtualFetch: Sendable {
  /// What came of a fetch.
  public typealias Result = BackgroundFetchResult

  private let driver: SystemDriver
  private let task: BackgroundTaskIdentifier
  private let reported = Protected<Result?>(nil)

  init(driver: SystemDriver, environment: VirtualEnvironment, name: String) {
    self.driver = driver
    let origin = TaskOrigin(function: "the system", file: #fileID, line: #line)
    task = driver.begin(named: name, origin: origin, handler: .direct(nil)).grant.identifier
    let end = environment.now.advanced(by: driver.policy.fetchAllowance)
    environment.schedule(at: end) { [weak self, weak environment] in
      guard let self, let environment, self.result == nil else { return }
      let cause = TerminationCause.leakedTask(name: name)
      environment.terminate(cause)
      // Only reported: the application lives on without the task.
      environment.diagnose(.terminationReported(cause))
      self.end(quietly: true)
    }
  }

  /// What was reported; nil before that.
  public var result: Result? { reported.withLock { $0 } }

  /// Reports that the fetch is over; a second call makes a diagnostic and nothing else.
  ///
  /// Any thread may call it.
  ///
  /// - Parameter result: What came of it.
  public func complete(_ result: Result) {
    let isFirst = reported.withLock { reported in
      defer { reported = reported ?? result }
      return reported == nil
    }
    end(quietly: isFirst)
  }

  private func end(quietly: Bool) {
    let origin = TaskOrigin(function: "complete(_:)", file: #fileID, line: #line)
    driver.end(task, origin: origin, quietly: quietly)
  }
}
