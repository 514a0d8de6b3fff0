import Glibc
import StintCore
import Synchronization

extension SystemDriver {
  /// Performs what waits, and tells what that leaves to be told.
  func perform() {
    state.perform(perform)
    deliverMail()
  }

  private func perform(_ action: Action) {
    switch action {
    case .wake, .armHardStop:
      break
    case .show(let shown):
      shownState.store(shown.rawValue, ordering: .releasing)
      mail.withLock { $0.waiting.append(.show(shown)) }
      notify(.stateChanged(shown))
    case .tell(let transition, let trip):
      mail.withLock { $0.waiting.append(.tell(transition, trip: trip)) }
      if transition == .didBecomeActive { notify(.becameActive) }
      if transition == .willTerminate { notify(.terminating) }
      if transition == .didReceiveMemoryWarning { notify(.memoryIsShort) }
    case .expireDirectly(let identifiers, let reason, let deadline):
      for identifier in identifiers { expireDirectly(identifier, reason, deadline) }
    case .deadlineMoved(let deadline):
      notify(.deadlineMoved(to: deadline))
    case .deadlineExtended(let deadline):
      notify(.deadlineExtended(to: deadline))
    case .announceExpiry(let reason, let deadline, let openTasks):
      // The record waits for a disk; that must not look like a didEnterBackground that does not
      // return (L4).
      deliverMail()
      environment.announceExpiry(reason, deadline: deadline, openTasks: openTasks)
    case .callHandlers(let identifiers, let reason, let deadline, let epoch):
      for identifier in identifiers {
        let expiry = Expiry(task: identifier, reason: reason, deadline: deadline)
        environment.onMain { self.callHandler(expiry, epoch: epoch) }
      }
    case .ask:
      // The in-process system answers by itself.
      state.withLock({ $0.authorityLink })?.tasksChanged()
    case .answer(let identifier, let answer):
      notify(.answered(identifier, answer))
    case .suspend:
      notify(.suspended)
      followSuspension()
    case .resume:
      notify(.resumed)
    case .stopCompleted:
      notify(.stopCompleted)
    case .terminate(let cause):
      state.withLock({ $0.authorityLink })?.terminationDecided()
      environment.terminate(cause)
      // Only reported: the application lives on, suspended and without its tasks.
      environment.diagnose(.terminationReported(cause))
      notify(.terminated)
      handle(performHere: true) { $0.terminationReported(now: $1) }
    case .diagnose(let diagnostic):
      environment.diagnose(diagnostic)
    }
  }

  func notify(_ event: SystemEvent) {
    for observer in state.withLock({ $0.observers }) { observer.systemDid(event) }
  }

  private func expireDirectly(
    _ identifier: BackgroundTaskIdentifier, _ reason: ExpiryReason, _ deadline: Instant
  ) {
    let expiry = Expiry(task: identifier, reason: reason, deadline: deadline)
    // Race: a task that was ended since has no entry any more.
    switch handler(of: identifier) {
    case .direct(let call?): call(expiry)
    case .scoped(let call): call(expiry)
    case .direct(nil), .plain, .main, .mainAsync, .none?, nil: break
    }
    notify(.expired(identifier, reason, deadline: deadline))
  }

  private func handler(of identifier: BackgroundTaskIdentifier) -> TaskHandler? {
    state.withLock { state in
      state.handlers.first { $0.identifier == identifier }?.handler
    }
  }

  /// Calls a handler if its call can still be claimed (A5).
  @MainActor
  private func callHandler(_ expiry: Expiry, epoch: Int) {
    let (handler, outcome) = state.withActions { state, waiting -> (TaskHandler?, Outcome) in
      let claim = state.machine.handlerClaimed(expiry.task, epoch: epoch, now: environment.now)
      let entry = state.handlers.first { $0.identifier == expiry.task }
      return (claim.mayCall ? entry?.handler : nil, accept(claim.actions, &state, &waiting))
    }
    finish(outcome, performHere: false)
    switch handler {
    case .plain(let call):
      call()
      handlerReturned(expiry.task)
    case .main(let call):
      call(expiry)
      handlerReturned(expiry.task)
    case .mainAsync(let call):
      environment.onMainActor {
        await call(expiry)
        self.handlerReturned(expiry.task)
      }
    case .none?, .direct, .scoped, nil:
      break
    }
  }

  private func handlerReturned(_ identifier: BackgroundTaskIdentifier) {
    handle(performHere: false) { $0.handlerReturned(identifier, now: $1) }
  }

  private func followSuspension() {
    // The system may have begun a task since, when its observers were told.
    guard lifeState == .suspended else { return }
    switch suspensionFollowUp {
    case .park:
      break
    case .exit(let status):
      environment.exit(status)
    case .rest(let duration):
      let end = environment.now.advanced(by: duration)
      environment.schedule(at: end) { self.restEnded() }
    case .stop:
      guard state.withLock({ $0.authorityLink })?.mayStop() ?? true else { return }
      let start = environment.now
      environment.stopProcess()
      continued(afterStop: start.duration(to: environment.now))
    }
  }

  private func restEnded() {
    guard enterForeground(), becomeActive() else { return }
    guard resignActive() else { return }
    enterBackground()
  }

  // MARK: Telling

  /// Tells the delegate and the observers of something that is no step of the application's life.
  package func post(_ news: ApplicationNews) {
    mail.withLock { $0.waiting.append(.news(news)) }
    deliverMail()
  }

  /// Calls back on the main queue when everything was told that waits now.
  package func afterNews(_ body: @escaping @Sendable () -> Void) {
    mail.withLock { $0.waiting.append(.call(body)) }
    deliverMail()
  }

  /// Delivers news: directly on the main thread or if nobody listens, else in a turn of the main
  /// queue.
  func deliverMail() {
    let teller = state.withLock { $0.teller }
    guard let teller, !environment.isOnMain else { return deliverMailHere(to: teller) }
    let waiting = mail.withLock { $0.waiting }
    guard !waiting.isEmpty else { return }
    environment.onMain(of: teller) { self.deliverMailHere(to: teller) }
    watchMainQueue()
    // A main thread that is busy or stuck must not look like a delegate that does not return (L4).
    if teller.hasDelegate { return }
    for case .tell(.didEnterBackground, let trip) in waiting { didEnterBackgroundReturned(trip) }
  }

  private func deliverMailHere(to teller: (any TransitionTeller)?) {
    while true {
      // What is told inside a delegate's method waits until that has returned.
      let next = mail.withLock { mail -> Mail? in
        guard !mail.isDelivering, !mail.waiting.isEmpty else { return nil }
        mail.isDelivering = true
        mail.isWatched = false
        mail.deliveries += 1
        return mail.waiting.removeFirst()
      }
      guard let next else { return }
      switch next {
      case .show(let shown): toldState.store(shown.rawValue, ordering: .releasing)
      case .tell(let transition, _):
        if let teller { tell(to: teller) { $0.tell(transition) } }
        if transition == .didFinishLaunching, teller?.hasDelegate == true {
          state.withLock { $0.isDelegateLaunched = true }
        }
      case .news(let news):
        if let teller { tell(to: teller) { $0.tell(news) } }
      case .call(let body): body()
      }
      mail.withLock { $0.isDelivering = false }
      if case .tell(.didEnterBackground, let trip) = next { didEnterBackgroundReturned(trip) }
    }
  }

  /// On the main queue.
  private func tell(
    to teller: any TransitionTeller, _ body: @MainActor @Sendable (any TransitionTeller) -> Void
  ) {
    tellingThread.store(pthread_self(), ordering: .relaxed)
    MainActor.assumeIsolated { body(teller) }
    tellingThread.store(0, ordering: .relaxed)
  }

  private func didEnterBackgroundReturned(_ trip: Int) {
    handle(performHere: false) { $0.didEnterBackgroundReturned(trip: trip, now: $1) }
  }

  /// Says so if the main queue was not served for half of the grace, once until it is (L2).
  private func watchMainQueue() {
    let before = mail.withLock { exchange(&$0.isWatched, with: true) ? nil : $0.deliveries }
    guard let before else { return }
    let allowance = policy.enterBackgroundGrace / 2
    environment.schedule(at: environment.now.advanced(by: allowance)) { [weak self] in
      guard let self, mail.withLock({ $0.deliveries == before && !$0.waiting.isEmpty }) else {
        return
      }
      environment.diagnose(.mainQueueUnserved(allowance: allowance))
    }
  }
}
