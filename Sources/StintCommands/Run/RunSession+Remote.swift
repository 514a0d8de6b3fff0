import StintCore
import StintRuntime

// A run that another process grants its time: `stint exec -- stint run ...`,
// `stint run --isolated`.

extension RunSession {
  /// Goes to the supervisor's state and obeys it from now on.
  func follow(_ remote: RemoteSystem) {
    remote.link.listen { [weak self] event in self?.authorityDid(event) }
    remote.begin(named: "stint run")
  }

  /// On the conversation's thread.
  private func authorityDid(_ event: RemoteLink.Event) {
    switch event {
    case .stop(let reason, let deadline):
      limitLastWords(until: deadline)
      handle { $0.authorityStops(reason) }
    case .vanished(let why):
      say("The supervisor (process \(remote?.owner ?? 0)) has gone: \(why). Saving.")
      handle { $0.authorityVanished() }
    case .terminating(let cause):
      say("The supervisor ends this process: \(cause)")
    }
  }
}
