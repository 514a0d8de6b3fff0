public import StintRuntime

extension Worker {
  /// Creates a worker for an application; the process's own, or the program's in its place, is
  /// launched if it was not before.
  ///
  /// - Parameters:
  ///   - computation: What to compute.
  ///   - store: Where its durable state is kept.
  ///   - application: Whose time it uses.
  ///   - options: How it runs.
  public convenience init(
    _ computation: Computation, store: any WorkStore, application: Application = .shared,
    options: WorkerOptions = WorkerOptions()
  ) {
    // A worker can be made and run before the main queue is ever served.
    if SharedApplication.isOwn(application) { application.launch() }
    self.init(
      computation, store: store, host: SystemWorkerHost(application.driver), options: options)
  }
}
