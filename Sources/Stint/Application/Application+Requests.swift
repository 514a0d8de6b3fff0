import Foundation
import StintCore
import StintRuntime

extension Application {
  /// Whether requests and the fetch interval of a program that `main()` of a delegate runs outlive
  /// its process.
  ///
  /// They then lie in the jobs directory, by which `stint serve` and `stint wake` launch the
  /// program again with the same arguments in the same folder, when one of them is due. Nothing is
  /// written before the first request or interval. Which program it is follows from its file, its
  /// arguments and its working directory. A second process of the program keeps its requests to
  /// itself while the first one lives, and says so.
  ///
  /// A program that does not want that sets it to `false` before the launch, as in its delegate's
  /// `init()`; a later change does nothing. Continued tasks end with the process in any case.
  public nonisolated static var keepsRequests: Bool {
    get { keeping.withLock { $0 } }
    set { keeping.withLock { $0 = newValue } }
  }

  private nonisolated static let keeping = Protected(true)

  /// Takes over what an earlier process of this program has left, before the launch.
  nonisolated func keepRequests() {
    guard Self.keepsRequests else { return }
    do throws(StintError) {
      let store = QueueStore(jobsPath: try JobsDirectory.path(explicit: nil))
      taskScheduler.keep(
        with: ProgramRequests(try .ofThisProgram(), in: store, now: taskScheduler.wallTime))
    } catch {
      driver.environment.diagnose(.requestsNotKept(error))
    }
  }

  /// The handlers are registered, so what waits may begin.
  nonisolated func goOnWithRequests() {
    guard Self.keepsRequests else { return }
    taskScheduler.launchEnded()
    guard let reason = launchReason.withLock({ $0?.reason }) else { return }
    if reason.isSimulated {
      taskScheduler.simulate(
        reason.kind == .fetch ? .fetch : .launch(reason.identifier))
    }
    taskScheduler.launchedByAuthority()
  }
}
