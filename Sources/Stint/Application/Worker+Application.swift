public import StintRuntime

extension Worker {
  /// Creates a worker for an application.
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
    self.init(
      computation, store: store, host: SystemWorkerHost(application.driver), options: options)
  }
}
