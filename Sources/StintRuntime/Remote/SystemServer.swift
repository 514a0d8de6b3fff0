import CStint
import Glibc
package import StintCore

/// Grants one child the time of a supervisor's system.
///
/// Each task that the child begins is a task of the supervisor's driver; a child that does not
/// speak lives under the one task that stands for its presence. The decisions are those of
/// ``ServerMachine``.
package final class SystemServer: SystemObserver, MessageReceiver {
  /// What the supervisor does for the child.
  package struct Hooks: Sendable {
    /// Warns a child that does not speak: its time is over at the deadline.
    package var warn: @Sendable (ExpiryReason, _ deadline: Instant) -> Void = { _, _ in }
    /// The conversation is over, for this reason; the child is treated as one that does not speak.
    package var conversationEnded: @Sendable (String) -> Void = { _ in }
    /// The child said hello: it is told of its expiry there.
    package var spoke: @Sendable () -> Void = {}
    /// Continues the child's process, which has stopped itself; nil if nobody does.
    package var continueChild: (@Sendable () -> Void)?
    /// The child was suspended and has stopped its process; it is not continued at once.
    package var childStands: @Sendable () -> Void = {}

    package init() {}
  }

  private let driver: SystemDriver
  private let name: String
  private let transport: any MessageTransport
  private let hooks: Hooks
  private let state: MachineDriver<ServerMachine, ServerMachine.Action>

  /// Creates the server of a child that has not been started.
  ///
  /// - Parameters:
  ///   - driver: The supervisor's system.
  ///   - name: What the child's presence is called among the open tasks.
  ///   - transport: The supervisor's end of the conversation.
  ///   - holdsPresence: Whether the child's presence is held here; a supervisor may have a task of
  ///     its own for that.
  ///   - launch: For what the child is launched; nil if somebody started it for its own sake.
  ///   - hooks: What the supervisor does for the child.
  package init(
    driver: SystemDriver, name: String, transport: any MessageTransport, holdsPresence: Bool = true,
    launch: SystemMessage.Launch? = nil, hooks: Hooks = Hooks()
  ) {
    self.driver = driver
    self.name = name
    self.transport = transport
    self.hooks = hooks
    state = MachineDriver(
      ServerMachine(
        policy: driver.policy, holdsPresence: holdsPresence,
        continuesChild: hooks.continueChild != nil, launch: launch))
  }

  /// Makes a server without a presence at one end of a pair of sockets.
  ///
  /// - Parameters:
  ///   - driver: The supervisor's system.
  ///   - name: What the child is called.
  ///   - thread: What the thread of the conversation is called.
  ///   - launch: For what the child is launched.
  ///   - hooks: What the supervisor does for the child.
  ///   - loop: The loop that waits for the child's first words, in place of a thread.
  ///   - listening: Puts somebody between the socket and the server.
  /// - Returns: The server, not started yet, and the child's end, to be closed by the caller.
  /// - Throws: ``StintError`` if no descriptor is left.
  package static func overSocket(
    driver: SystemDriver, name: String, thread: String, launch: SystemMessage.Launch? = nil,
    hooks: Hooks = Hooks(), firstSignAt loop: EventLoop? = nil,
    listening: (SocketTransport) -> any MessageTransport = { $0 }
  ) throws(StintError) -> (server: SystemServer, offered: Int32) {
    var (own, offered) = (Int32(-1), Int32(-1))
    let status = stint_socket_pair(&own, &offered)
    guard status == 0 else {
      let why = String(cString: strerror(-status))
      throw StintError(.io, "cannot make a pair of sockets: \(why)", errno: -status)
    }
    do throws(StintError) {
      let transport = try SocketTransport(descriptor: own, name: thread, firstSignAt: loop)
      let server = SystemServer(
        driver: driver, name: name, transport: listening(transport), holdsPresence: false,
        launch: launch, hooks: hooks)
      return (server, offered)
    } catch {
      Glibc.close(own)
      Glibc.close(offered)
      throw error
    }
  }

  /// Whether the child speaks.
  package var phase: ServerMachine.Phase { state.withLock { $0.phase } }

  /// Whether the child was suspended, and its process stands still until it is continued.
  package var childStandsStill: Bool { state.withLock { $0.childStandsStill } }

  /// Begins the child's presence and puts the welcome into its socket; to be called before the
  /// child is started.
  package func start() {
    driver.add(self)
    handle { $0.started(driver.view, pid: getpid(), now: $1) }
    transport.start(self)
    // What changed while it was being added.
    followSystem()
  }

  /// The child has ended: its tasks are ended, and its presence.
  package func childEnded() {
    driver.remove(self)
    handle { machine, _ in machine.childEnded() }
  }

  /// The child's process has stopped, or goes on.
  package func childStopped(_ hasStopped: Bool) {
    handle { hasStopped ? $0.processStopped(now: $1) : $0.processContinued() }
    if childStandsStill { hooks.childStands() }
  }

  /// The child is about to be ended: tells it why.
  package func terminating(_ cause: TerminationCause) {
    transport.enqueue(SystemMessage.terminating(cause).line)
    transport.flush()
  }

  /// Tells the child what changed in the system; to be called after an event that observers are not
  /// told of, such as the end of a stop that does not count (A23).
  package func followSystem() {
    handle { $0.systemChanged(to: driver.view, now: $1) }
  }

  // MARK: What is told

  package func systemDid(_ event: SystemEvent) {
    switch event {
    case .resumed:
      handle { machine, now in
        let view = driver.view
        return view.lifeState == .background
          ? machine.resumed(to: view, now: now) : machine.systemChanged(to: view, now: now)
      }
    case .stateChanged, .suspended, .becameActive, .deadlineMoved, .deadlineExtended, .terminating,
      .stopCompleted:
      followSystem()
    case .expired:
      // A child with tasks learns of a nearer end by the expiry of each, which has the reason.
      if state.withLock({ $0.openTasks == 0 }) { followSystem() }
    case .answered, .memoryIsShort, .refreshStatusChanged, .terminated:
      break
    }
  }

  package func received(_ line: [UInt8]) {
    do {
      guard let message = try ChildMessage.read(line) else { return }
      handle { $0.received(message, now: $1) }
      if case .hello = message, phase == .speaking { hooks.spoke() }
      if case .suspended = message, childStandsStill { hooks.childStands() }
    } catch {
      conversationEnded("the child said what cannot be understood: \(error)")
    }
  }

  package func conversationEnded(_ why: String) {
    handle { machine, _ in machine.conversationEnded(why) }
  }

  // MARK: Events and actions

  private func handle(_ event: (inout ServerMachine, Instant) -> [ServerMachine.Action]) {
    let mustPerform = state.withActions { machine, waiting in
      let actions = event(&machine, driver.environment.now)
      // At once, because what is told as the process is ended waits for no action.
      for case .send(let message) in actions { transport.enqueue(message.line) }
      waiting.append(actions)
      return waiting.claim()
    }
    transport.flush()
    if mustPerform { state.perform(perform) }
  }

  private func perform(_ action: ServerMachine.Action) {
    switch action {
    case .send:
      break
    case .hangUp(let why):
      transport.close()
      hooks.conversationEnded(why)
    case .beginTask(let task, let name):
      begin(task, name: name)
    case .beginPresence:
      let grant = begin(name) { server, expiry in
        server.expired(nil, expiry)
      }
      switch grant {
      case .granted(let identifier): handle { machine, _ in machine.presenceGranted(identifier) }
      case .denied: handle { machine, _ in machine.presenceGranted(nil) }
      }
    case .end(let identifier):
      driver.end(identifier, origin: .here(), quietly: true)
    case .warn(let reason, let deadline):
      hooks.warn(reason, deadline)
    case .continueChild:
      hooks.continueChild?()
    case .wake(let instant):
      driver.environment.schedule(at: instant) { [weak self] in
        self?.handle { $0.timePassed(now: $1) }
      }
    }
  }

  private func begin(_ task: Int, name: String) {
    let grant = begin(name) { server, expiry in server.expired(task, expiry) }
    switch grant {
    case .granted(let identifier):
      handle { machine, _ in machine.taskGranted(task, identifier) }
    case .denied(let reason):
      handle { $0.taskDenied(task, reason, now: $1) }
    }
  }

  private func begin(
    _ name: String, _ expired: @escaping @Sendable (SystemServer, Expiry) -> Void
  ) -> TaskGrant {
    let handler = TaskHandler.direct { [weak self] expiry in
      if let self { expired(self, expiry) }
    }
    return driver.begin(named: name, origin: .here(), handler: handler).grant
  }

  private func expired(_ task: Int?, _ expiry: Expiry) {
    handle { $0.expired(task, expiry.reason, deadline: expiry.deadline, now: $1) }
  }
}
