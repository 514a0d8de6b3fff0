import Stint
import StintCore

/// Lets a worker run under a virtual system: tasks and expiries as in production, lanes in virtual
/// time.
final class VirtualWorkerHost: WorkerHost {
  private struct State {
    var client: (any WorkerHostClient)?
    var lanes: [VirtualLane] = []
    var generator: SeededGenerator
  }

  private let host: SystemWorkerHost
  private let environment: VirtualEnvironment
  private let costs: VirtualCosts
  private let state: Protected<State>

  init(driver: SystemDriver, environment: VirtualEnvironment, costs: VirtualCosts) {
    host = SystemWorkerHost(driver)
    self.environment = environment
    self.costs = costs
    state = Protected(State(generator: SeededGenerator(seed: costs.seed)))
  }

  var deadline: Instant? { host.deadline }
  var isInForeground: Bool { host.isInForeground }
  var grant: (budget: Duration?, lead: Duration) { host.grant }
  var tripEnd: Deadline? { host.tripEnd }
  var trip: Int? { host.trip }
  var stopReason: ExpiryReason? { host.stopReason }
  var now: Instant { host.now }
  var machineSuspended: Duration { host.machineSuspended }

  func requestTask(named name: String, for client: any WorkerHostClient) {
    host.requestTask(named: name, for: client)
  }

  func hold(named name: String) -> @Sendable () -> Void {
    host.hold(named: name)
  }

  func endTask(_ task: BackgroundTaskIdentifier) {
    host.endTask(task)
  }

  func enterTrip(_ prepare: () -> Void) {
    host.enterTrip(prepare)
  }

  func idle() { host.idle() }

  func attach(_ client: any WorkerHostClient) {
    state.withLock { $0.client = client }
    environment.add(self)
    host.attach(client)
  }

  func detach(_ client: any WorkerHostClient) {
    host.detach(client)
    environment.remove(self)
    state.withLock { $0.client = nil }
  }

  func makeTimer() -> any WorkerTimer {
    host.makeTimer()
  }

  func makeLane(named name: String, isPrompt: Bool) -> any WorkerLane {
    state.withLock { state in
      let lane = VirtualLane(
        name: name, costs: costs, generator: state.generator.split(), environment: environment)
      state.lanes.append(lane)
      return lane
    }
  }

  /// Whether a chunk is under way.
  var runsChunk: Bool { state.withLock { $0.lanes }.contains { $0.runsChunk } }

  /// The process stands still from now on.
  func freeze() {
    for lane in state.withLock({ $0.lanes }) { lane.freeze() }
  }

  /// The process continues after that time.
  func thaw(after stopped: Duration) {
    let (client, lanes) = state.withLock { ($0.client, $0.lanes) }
    client?.wasStopped(for: stopped)
    for lane in lanes { lane.thaw(after: stopped) }
  }

  /// The process is gone.
  func drop() {
    let (client, lanes) = state.withLock { state in
      defer { state.client = nil }
      return (state.client, state.lanes)
    }
    for lane in lanes { lane.drop() }
    if let client { host.detach(client) }
  }
}
