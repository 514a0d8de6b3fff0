package import StintCore

/// A child's end of the conversation: makes its driver follow the system in the other process, and
/// asks that one for tasks.
///
/// The open tasks are compared with those last told, so that no order of threads can lose the end
/// of one. If the supervisor vanishes, its time is taken back: every task expires with one lead's
/// time to save, and no new task is granted.
package final class RemoteLink: AuthorityLink, MessageReceiver {
  /// What the program may want to know beside what its driver tells.
  package enum Event: Hashable, Sendable {
    /// The system asks the process to stop.
    case stop(ExpiryReason, deadline: Instant)
    /// The system has gone; until then it is obeyed, from then on this process ends itself.
    case vanished(String)
    /// The system is about to end this process.
    case terminating(TerminationCause)
  }

  private struct State {
    /// Nothing is said before hello.
    var hasSaidHello = false
    /// The tasks that the system was told of.
    var told: Set<Int> = []
    /// The trip that the system has this process in; nil in the foreground.
    var trip: SystemMessage.Trip?
    /// When the next request may begin; nil for none.
    var nextBegin: Instant?
    /// The deadline was seen to pass; ends are not told until the system says more.
    var isSilent = false
    var isOver = false
    /// Takes events; those that came before there was one wait.
    var listener: (@Sendable (Event) -> Void)?
  }

  private let driver: SystemDriver
  private let transport: any MessageTransport
  private let welcome: SystemMessage.Welcome
  private let takeOver: @Sendable () -> Void
  private let state = MachineDriver<State, Event>(State())

  /// Creates the link of a driver whose authority is remote.
  ///
  /// `takeOver` lets the child's own environment enforce the deadline from now on.
  package init(
    driver: SystemDriver, transport: any MessageTransport, welcome: SystemMessage.Welcome,
    takeOver: @escaping @Sendable () -> Void
  ) {
    self.driver = driver
    self.transport = transport
    self.welcome = welcome
    self.takeOver = takeOver
    driver.setLink(self)
  }

  /// Says hello; from then on the system knows that this process speaks.
  package func sayHello(name: String, pid: Int32) {
    let hello = ChildMessage.hello(version: SystemProtocol.version, pid: pid, name: name)
    state.withLock { state in
      state.hasSaidHello = true
      transport.enqueue(hello.line)
      if let begin = state.nextBegin { transport.enqueue(ChildMessage.due(begin).line) }
    }
    tasksChanged()
  }

  /// Goes to the state in which the system has this process, which must have become active before.
  package func follow() {
    switch welcome.state {
    case .active: break
    case .inactive: driver.resignActive()
    case .background: enterBackground(welcome.trip)
    }
  }

  /// Sets who is told of events.
  package func listen(_ listener: @escaping @Sendable (Event) -> Void) {
    state.withLock { $0.listener = listener }
    tell()
  }

  /// Goes back to the system's state, after this process went to the background by itself
  /// (SIGTSTP).
  package func rejoin() {
    enterForeground(active: true)
    if let trip = state.withLock({ $0.trip }) { enterBackground(trip) }
  }

  // MARK: To the system

  package func tasksChanged() {
    state.withLock { state in
      guard state.hasSaidHello, !state.isOver, !state.isSilent else { return }
      let open = driver.openTasks
      let numbers = Set(open.map(\.identifier.rawValue))
      for task in state.told.subtracting(numbers).sorted() {
        state.told.remove(task)
        transport.enqueue(ChildMessage.end(task: task).line)
      }
      for task in open where state.told.insert(task.identifier.rawValue).inserted {
        transport.enqueue(
          ChildMessage.begin(task: task.identifier.rawValue, name: task.name).line)
      }
    }
    transport.flush()
  }

  package func terminationDecided() {
    state.withLock { $0.isSilent = true }
  }

  package func nextBeginChanged(to begin: Instant?) {
    state.withLock { state in
      guard exchange(&state.nextBegin, with: begin) != begin else { return }
      guard state.hasSaidHello, !state.isOver else { return }
      transport.enqueue(ChildMessage.due(begin).line)
    }
    transport.flush()
  }

  /// Says in which trip the process stops, so that one that stops too late is continued at once.
  ///
  /// The trip is read before the driver is asked, because another one is noted here before the
  /// driver hears of it.
  package func mayStop() -> Bool {
    let (trip, isOver) = state.withLock { ($0.trip?.number, $0.isOver) }
    guard driver.lifeState == .suspended else { return false }
    guard !isOver, let trip else { return isOver || !welcome.continuesChild }
    transport.enqueue(ChildMessage.suspended(trip: trip).line)
    transport.flush()
    return true
  }

  // MARK: From the system

  package func received(_ line: [UInt8]) {
    guard !state.withLock({ $0.isOver }) else { return }
    do {
      guard let message = try SystemMessage.read(line) else { return }
      obey(message)
    } catch {
      transport.close()
      conversationEnded("it said what cannot be understood: \(error)")
    }
  }

  private func obey(_ message: SystemMessage) {
    switch message {
    case .welcome, .suspending:
      // A second welcome changes nothing; who is suspended cannot act on it.
      break
    case .transition(let transition, let trip):
      obey(transition, trip)
    case .granted(let task):
      driver.answer(BackgroundTaskIdentifier(rawValue: task), .granted)
    case .denied(let task, let reason):
      driver.answer(BackgroundTaskIdentifier(rawValue: task), .denied(reason))
    case .deadline(let trip, let deadline):
      guard isCurrent(trip) else { return }
      state.withLock { $0.trip?.deadline = deadline }
      driver.handle(performHere: true) {
        $0.deadlineMoved(to: deadline ?? .distantFuture, now: $1)
      }
      speakAgain()
    case .expire(_, let reason, let trip, let deadline):
      // One that was sent in a trip before concerns nobody any more.
      guard isCurrent(trip) else { return }
      driver.expireByAuthority(reason, until: deadline ?? .distantFuture)
    case .stop(let reason, let deadline):
      let grace = max(.zero, driver.environment.now.duration(to: deadline))
      driver.requestStop(reason: reason, grace: grace)
      post(.stop(reason, deadline: deadline))
    case .resumed:
      driver.resume()
    case .terminating(let cause):
      post(.terminating(cause))
    }
  }

  private func obey(_ transition: Transition, _ trip: SystemMessage.Trip?) {
    switch transition {
    case .willResignActive:
      driver.resignActive()
    case .didEnterBackground:
      speakAgain()
      driver.resignActive()
      enterBackground(trip)
    case .willEnterForeground:
      state.withLock { $0.trip = nil }
      enterForeground(active: false)
      speakAgain()
    case .didBecomeActive:
      enterForeground(active: true)
    case .willFinishLaunching, .didFinishLaunching, .willTerminate, .didReceiveMemoryWarning:
      // What the program learns by itself, or is told with a stop.
      break
    }
  }

  private func enterBackground(_ trip: SystemMessage.Trip?) {
    if driver.lifeState == .active { driver.resignActive() }
    state.withLock { $0.trip = trip }
    let start = trip?.start
    // Without an end, and not as the policy says.
    let grant =
      trip.flatMap { trip in trip.deadline.map { trip.start.duration(to: $0) } }
      ?? .nanoseconds(Int64.max)
    driver.enterBackground(since: start, granting: grant)
  }

  private func enterForeground(active: Bool) {
    driver.enterForeground()
    if active { driver.becomeActive() }
  }

  /// Tells again what is open, after the system has said how it goes on.
  private func speakAgain() {
    if state.withLock({ exchange(&$0.isSilent, with: false) }) { tasksChanged() }
  }

  private func isCurrent(_ trip: Int) -> Bool { state.withLock { $0.trip?.number == trip } }

  // MARK: The end

  package func conversationEnded(_ why: String) {
    if state.withLock({ exchange(&$0.isOver, with: true) }) { return }
    driver.refusal = "the system that granted time has gone (\(why))"
    // Nobody is left who would continue it.
    driver.defaultFollowUp = .park
    takeOver()
    let lead = driver.policy.lead
    switch driver.lifeState {
    case .notRunning, .suspended:
      break
    case .active, .inactive:
      driver.resignActive()
      // More than the lead, so that the reason is the revocation that follows.
      driver.enterBackground(granting: lead * 2)
      driver.expireByAuthority(.revoked, until: driver.environment.now.advanced(by: lead))
    case .background:
      driver.expireByAuthority(.revoked, until: driver.environment.now.advanced(by: lead))
    }
    // Last: in the foreground a denial would look like one of a task that may go on unprotected.
    for task in driver.openTasks where task.state == .pending {
      driver.answer(task.identifier, .denied(.refused("the system that granted time has gone")))
    }
    // Nothing can be begun any more.
    driver.idle()
    post(.vanished(why))
  }

  private func post(_ event: Event) {
    state.withActions { $1.append([event]) }
    tell()
  }

  /// Tells what waits, in the order in which it came; what comes meanwhile is told by the same
  /// thread.
  private func tell() {
    guard state.withActions({ $0.listener != nil && $1.claim() }) else { return }
    state.perform { event in state.withLock { $0.listener }?(event) }
  }
}
