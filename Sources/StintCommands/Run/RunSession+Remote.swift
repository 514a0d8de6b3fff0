import StintCore
import StintRuntime

// A run that another process grants its time: `stint exec -- stint run ...`, `stint run --isolated`.

extension RunSession {
  /// Goes to the supervisor's state and obeys it from now on.
  func follow(_ remote: RemoteSystem) {
    remote.link.listen { [weak self] event in self?.authorityDid(event) }
    remote.begin(named: "stint run")
  }

  /// Back in the supervisor's state after a stop of the terminal or a pause.
  func comeBack(to remote: RemoteSystem, _ worker: (any RunnableWorker)?) {
    state.withLock { $0.isAtRest = false }
    remote.link.rejoin()
    worker?.resume()
  }

  /// On the conversation's thread.
  private func authorityDid(_ event: RemoteLink.Event) {
    switch event {
    case .stop(let reason, let deadline):
      limitLastWords(until: deadline, dyingOf: nil)
      let worker = state.withLock { $0.worker }
      stopping.enqueue { worker?.stop(reason: reason) }
    case .vanished(let why):
      say("The supervisor (process \(remote?.owner ?? 0)) has gone: \(why). Saving.")
      // Suspended, everything is saved, and nobody is left who could grant more time.
      if driver.lifeState == .suspended { timeIsUp() }
    case .terminating(let cause):
      say("The supervisor ends this process: \(cause)")
    }
  }
}
