import Stint
import StintCore

/// The lanes of a worker under a virtual system; its tasks and expiries are as in production.
final class VirtualLanes: Sendable {
  private struct State {
    weak var host: SystemWorkerHost?
    var lanes: [VirtualLane] = []
    var generator: SeededGenerator
  }

  private let environment: VirtualEnvironment
  private let costs: VirtualCosts
  private let state: Protected<State>

  init(environment: VirtualEnvironment, costs: VirtualCosts) {
    self.environment = environment
    self.costs = costs
    state = Protected(State(generator: SeededGenerator(seed: costs.seed)))
  }

  /// Makes the host of the worker that works on these lanes.
  func makeHost(_ driver: SystemDriver) -> SystemWorkerHost {
    let host = SystemWorkerHost(driver) { [self] name, _ in makeLane(named: name) }
    state.withLock { $0.host = host }
    environment.add(self)
    return host
  }

  private func makeLane(named name: String) -> any WorkerLane {
    let lane = state.withLock { state in
      let lane = VirtualLane(
        name: name, costs: costs, generator: state.generator.split(), environment: environment)
      state.lanes.append(lane)
      return lane
    }
    if environment.isFrozen { lane.freeze() }
    return lane
  }

  /// Whether a chunk is under way.
  var runsChunk: Bool { state.withLock { $0.lanes }.contains { $0.runsChunk } }

  /// The process stands still from now on.
  func freeze() {
    for lane in state.withLock({ $0.lanes }) { lane.freeze() }
  }

  /// The process continues after that time.
  func thaw(after stopped: Duration) {
    let (host, lanes) = state.withLock { ($0.host, $0.lanes) }
    host?.client?.wasStopped(for: stopped)
    for lane in lanes { lane.thaw(after: stopped) }
  }

  /// The process is gone.
  func drop() {
    let (host, lanes) = state.withLock { ($0.host, $0.lanes) }
    for lane in lanes { lane.drop() }
    if let host, let client = host.client { host.detach(client) }
  }
}
