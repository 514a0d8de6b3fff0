package import StintCore

extension SystemDriver.State {
  /// The link, where there is one to be told.
  var authorityLink: (any AuthorityLink)? {
    // Matched, not compared: `==` of an enumeration of another module goes through its table of
    // witnesses.
    if case .remote = machine.authority { link } else { nil }
  }
}

extension SystemDriver {
  /// Whether another process grants the time.
  package var isRemote: Bool { state.withLock { $0.machine.authority == .remote } }

  /// Sets who tells the authority in another process; not retained.
  package func setLink(_ link: any AuthorityLink) {
    state.withLock { $0.link = link }
  }

  /// Says at which instant the next request may begin; nil for none.
  ///
  /// A supervisor that continues this process when it has stopped itself does so then.
  package func setNextBegin(at instant: Instant?) {
    state.withLock { $0.authorityLink }?.nextBeginChanged(to: instant)
  }

  /// What a supervisor tells a child of this system, as it is now.
  package var view: ServerMachine.View {
    state.withLock { state in
      let machine = state.machine
      return ServerMachine.View(
        lifeState: machine.lifeState,
        trip: machine.trip.map { trip in
          SystemMessage.Trip(
            number: trip.number, start: trip.start,
            deadline: trip.deadline == .distantFuture ? nil : trip.deadline)
        },
        stop: machine.stop.map { ServerMachine.Expired(reason: $0.reason, deadline: $0.deadline) },
        needsTask: machine.trip?.needsTask ?? true)
    }
  }

  /// The authority expires the tasks of this trip.
  package func expireByAuthority(_ reason: ExpiryReason, until end: Instant) {
    handle(performHere: true) { $0.expiredByAuthority(reason, until: end, now: $1) }
  }

}
