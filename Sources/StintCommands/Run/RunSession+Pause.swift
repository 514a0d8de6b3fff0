import StintCore
import StintRuntime

// The pause file: what `stint pause` leaves for a worker that no signal reaches (W7).

extension RunSession {
  /// How often the end of a pause is looked for.
  var lookInterval: Duration { min(options.time.tick, .seconds(1)) }

  /// Saves and suspends if the pause file is there.
  ///
  /// - Returns: Whether it is, and is obeyed.
  @discardableResult
  func obeyPauseFile() -> Bool {
    guard job.isSet(.pause) else { return false }
    let (isFirst, isObeyed) = state.withLock { state in
      // One that ends does not begin to wait.
      guard state.firstSignal == nil, !(state.worker?.hasEnded ?? false) else {
        return (false, false)
      }
      defer { state.isPaused = true }
      return (!state.isPaused, true)
    }
    if isFirst { stopping.enqueue { self.saveAndSuspend() } }
    return isObeyed
  }

  /// Suspended: waits until the pause file is gone, or a stop file is there.
  func awaitEndOfPause() {
    let number = state.withLock { state in
      state.rests += 1
      return state.rests
    }
    tell("Paused by stint pause; stint resume \(job.key) goes on with it.")
    tellOthers()
    lookAgain(number)
  }

  private func lookAgain(_ number: Int) {
    driver.environment.schedule(at: BootClock.now.advanced(by: lookInterval)) {
      self.looking.enqueue { self.look(number) }
    }
  }

  private func look(_ number: Int) {
    guard isAwaited(number), !obeyStopFile() else { return }
    if job.isSet(.pause) {
      tellOthers()
      lookAgain(number)
    } else {
      state.withLock { $0.isPaused = false }
      comeBack()
    }
  }

  /// Whoever asked for the pause waits for `progress.json` to say it; a state that was told is not told again.
  private func tellOthers() {
    guard let report = statusReport() else { return }
    if teller.lastTold != report.state { teller.tell(report) }
  }
}
