public import Stint

extension Worker {
  /// Creates a worker that runs in virtual time: the same worker as in production, on lanes that
  /// the test's clock moves.
  ///
  /// A piece of work is taken up when its lane is free, and done when the time has passed that the
  /// costs give it. Nothing happens while the test does not advance the system, and a kill before
  /// the end of a piece of work has the effect that nothing of it happened. All of it runs on the
  /// main actor, so a chunk must not wait for another thread.
  ///
  /// - Parameters:
  ///   - computation: What to compute.
  ///   - store: Where its durable state is kept, such as a ``Stint/Job`` on a ``FaultyFileSystem``.
  ///   - system: Whose time it uses.
  ///   - options: How it runs.
  ///   - costs: How long its work takes.
  @MainActor
  public convenience init(
    _ computation: Computation, store: any WorkStore, system: VirtualSystem,
    options: WorkerOptions = WorkerOptions(), costs: VirtualCosts = VirtualCosts()
  ) {
    self.init(computation, store: store, host: system.makeHost(costs: costs), options: options)
  }
}
