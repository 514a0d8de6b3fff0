import StintCore
import StintRuntime

/// How a request or a job stands for which another request waits.
enum QueueDependency {
  static func state(
    of job: String, _ store: QueueStore, _ catalog: JobCatalog
  ) -> QueueMachine.Dependency {
    guard QueueStore.isID(job) else {
      if let chain = (try? catalog.chain(job)) ?? nil { return state(of: chain) }
      let summary = catalog.summary(of: job)
      if summary.isFinished { return .finished }
      return summary.record == nil ? .failed : .unfinished
    }
    guard let request = (try? store.read(job)) ?? nil else { return .failed }
    // Another request of the chain may go on with it.
    if case .chain(let key) = request.terms.work, let chain = (try? catalog.chain(key)) ?? nil {
      return state(of: chain)
    }
    // A repetition is never done for good.
    if request.standing.repetitions > 0 { return .finished }
    switch request.standing.state {
    case .waiting, .running: return .unfinished
    case .done: return .finished
    case .setAside, .stopped: return .failed
    }
  }

  private static func state(of chain: ChainRecord) -> QueueMachine.Dependency {
    guard chain.state == .ended else { return .unfinished }
    return chain.ending == .finished ? .finished : .failed
  }
}
