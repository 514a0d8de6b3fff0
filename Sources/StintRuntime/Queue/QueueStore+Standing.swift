package import StintCore

/// Changes of how requests stand of which nobody runs anything.
extension QueueStore {
  /// Lets a request begin again that is paused, stopped or set aside.
  ///
  /// - Returns: The request afterwards; nil if there is none, or a process works on it.
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func resume(_ id: String) throws(StintError) -> QueuedRequest? {
    for marker in [Marker.stop, .pause] where isSet(marker, for: id) {
      try set(marker, to: false, for: id)
    }
    return try change(id) { (lock) throws(StintError) in
      if lock.request.standing.state != .done { try lock.update { $0.standing.resumed() } }
    }
  }

  /// Changes the record of a request; nil if a process works on it, or it is gone.
  ///
  /// Whoever serves the queue begins nothing that is locked, so it has to hear of the end of the
  /// lock, too.
  private func change(
    _ id: String, _ body: (RequestLock) throws(StintError) -> Void
  ) throws(StintError) -> QueuedRequest? {
    guard let lock = try take(id) else { return nil }
    defer {
      lock.giveBack()
      tell(id)
    }
    try body(lock)
    return lock.request
  }

  /// Lets nothing of a request begin any more; a run goes on.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func cancel(_ id: String) throws(StintError) {
    guard let request = try read(id), !request.standing.isOver else { return }
    try set(.cancel, to: true, for: id)
    // Where a process runs it, that one obeys at its end.
    _ = try change(id) { (lock) throws(StintError) in try lock.obeyCancel() }
  }

  /// Stops a request of which nobody runs anything; false if a process works on it, which is told.
  ///
  /// - Throws: ``StintError``: `damaged`, `io`.
  package func stop(
    _ id: String, atOnce: Bool = false, now: WallInstant
  ) throws(StintError) -> Bool {
    try set(.stop, to: true, with: atOnce ? Self.now : "", for: id)
    return try change(id) { (lock) throws(StintError) in
      try lock.update { $0.standing.stopAsked(now: now) }
    } != nil
  }

  /// The requests whose work is a chain, in the order in which they were submitted.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package func requests(ofChain key: String) throws(StintError) -> [QueuedRequest] {
    var found: [QueuedRequest] = []
    for id in try ids() {
      guard let request = (try? read(id)) ?? nil else { continue }
      if request.terms.work == .chain(key) { found.append(request) }
    }
    return found
  }
}

extension RequestLock {
  /// Writes down that nothing of a cancelled request begins any more, if it is one.
  ///
  /// - Throws: ``StintError`` with the code `io`.
  package func obeyCancel() throws(StintError) {
    guard isSet(.cancel), request.standing.state == .waiting else { return }
    try update { ($0.standing.state, $0.standing.why, $0.standing.retry) = (.done, nil, nil) }
  }
}
