import StintCore
import StintTesting

@testable import StintRuntime

/// A supervisor and its child in one process, on one virtual clock.
@MainActor
final class RemotePair {
  let clock = VirtualClock()
  let supervisor: VirtualSystem
  let child: VirtualSystem
  let pipe: Pipe
  let server: SystemServer
  let link: RemoteLink
  let warnings = Protected<[Instant]>([])
  let events = Protected<[RemoteLink.Event]>([])
  /// How often the child's process was continued.
  let continued = Protected(0)

  init(
    _ policy: SystemPolicy = SystemPolicy(name: "test", grant: .seconds(10), lead: .seconds(2)),
    inBackground: Bool = false, continuesChild: Bool = false,
    loses: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    supervisor = VirtualSystem(policy: policy, clock: clock)
    child = VirtualSystem(policy: policy, clock: clock, answers: .whenAnswered)
    supervisor.keepsHistory = false
    child.keepsHistory = false
    pipe = Pipe(loses: loses)
    var hooks = SystemServer.Hooks()
    let warnings = warnings
    hooks.warn = { _, deadline in warnings.withLock { $0.append(deadline) } }
    let continued = continued
    if continuesChild { hooks.continueChild = { continued.withLock { $0 += 1 } } }
    server = SystemServer(
      driver: supervisor.driver, name: "child", transport: pipe.server, hooks: hooks)
    supervisor.launch()
    server.start()
    if inBackground { supervisor.enterBackground() }
    let view = supervisor.driver.view
    let welcome = SystemMessage.Welcome(
      pid: 1, policy: policy, state: supervisor.driver.applicationState, trip: view.trip,
      continuesChild: continuesChild)
    if continuesChild { child.driver.defaultFollowUp = .stop }
    link = RemoteLink(driver: child.driver, transport: pipe.child, welcome: welcome) {}
    let events = events
    link.listen { event in events.withLock { $0.append(event) } }
    child.launch()
  }

  /// Takes apart what holds each other, so that the next pair finds the memory free.
  isolated deinit {
    supervisor.driver.remove(server)
    supervisor.driver.dropHandlers()
    child.driver.dropHandlers()
    pipe.server.forget()
    pipe.child.forget()
  }

  /// The child says hello and follows.
  func speak() {
    link.sayHello(name: "child", pid: 2)
    link.follow()
    pipe.child.start(link)
    link.tasksChanged()
    settle()
  }

  /// Lets everything arrive and run that waits for no time.
  func settle() {
    repeat {
      supervisor.run()
      child.run()
      pipe.deliverToServer()
      pipe.deliverToChild()
      supervisor.run()
      child.run()
    } while pipe.server.waitingBytes > 0 && !pipe.child.isClosed
      || pipe.child.waitingBytes > 0 && !pipe.server.isClosed
  }

  /// Moves the clock: the supervisor's timers are exact, the child's late by a step at most.
  func advance(by duration: Duration, steps: Int = 1) {
    for _ in 0..<steps {
      supervisor.advance(by: duration / steps)
      child.advance(by: .zero)
      settle()
    }
  }

  func begin(
    _ name: String, _ handler: @escaping @Sendable (Expiry) -> Void = { _ in }
  ) -> BackgroundTaskIdentifier {
    child.driver.begin(named: name, origin: .here(), handler: .direct(handler)).grant.identifier
  }

  func end(_ task: BackgroundTaskIdentifier) {
    child.driver.end(task, origin: .here(), quietly: true)
  }

  /// What the supervisor holds for the child, its presence left out.
  var heldNames: [String] { supervisor.openTasks.map(\.name).filter { $0 != "child" } }
}
