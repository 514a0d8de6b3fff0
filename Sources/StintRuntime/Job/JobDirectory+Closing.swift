import StintCore

// How a job's directory is given up, for a while or for good.

extension JobDirectory {
  /// Whether the directory was there when it was last looked at.
  var isMade: Bool {
    state.withLock { state in
      switch state.phase {
      case .open, .closed(isMade: true): true
      case .waiting, .reserved, .closed: false
      }
    }
  }

  /// Refuses what would need a directory that was closed.
  ///
  /// - Throws: ``StintError`` with the code `usage`.
  func checkIsNotClosed() throws(StintError) {
    guard case .closed = state.withLock({ $0.phase }) else { return }
    throw StintError(.usage, "the job \(key) was closed; open it again to use it")
  }

  /// Gives everything up for good: the lock and every descriptor.
  func close() {
    inTurn {
      let reserved = takeReservation()
      let opened = state.withLock { state -> Opened? in
        var opened: Opened?
        if case .closed = state.phase { return nil }
        if case .open(let open) = state.phase { opened = open }
        state.phase = .closed(isMade: opened != nil)
        state.early = []
        return opened
      }
      partialFiles.forgetAll()
      if let reserved {
        reserved.lock.giveBack()
        fileSystem.close(reserved.root)
      }
      opened?.lock.giveBack()
    }
  }

  /// Lets others take the job up; ``keepLock(_:)`` takes it again.
  func giveLockBack() { opened?.lock.giveBack() }
}
