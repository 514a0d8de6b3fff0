import StintCore
import StintRuntime

// The pause file: what `stint pause` leaves for a worker that no signal reaches (W7).

extension RunSession {
  /// How often the end of a pause is looked for.
  var lookInterval: Duration { min(options.time.tick, .seconds(1)) }

  /// Pauses the run if the pause file is there.
  func obeyPauseFile() {
    // One that ends does not begin to wait.
    guard job.isSet(.pause), !(worker?.hasEnded ?? false) else { return }
    handle { $0.pauseRequested() }
  }

  /// Suspended: waits until the pause file is gone, or a stop file is there.
  func awaitEndOfPause(_ wait: Int) {
    tell("Paused by stint pause; stint resume \(job.key) continues it.")
    tellOthers()
    lookAgain(wait)
  }

  private func lookAgain(_ wait: Int) {
    driver.environment.schedule(at: BootClock.now.advanced(by: lookInterval)) {
      self.looking.enqueue { self.look(wait) }
    }
  }

  private func look(_ wait: Int) {
    guard life.machine.isAwaited(wait), !obeyStopFile() else { return }
    if job.isSet(.pause) {
      tellOthers()
      lookAgain(wait)
    } else {
      handle { $0.pauseEnded(now: BootClock.now) }
    }
  }

  /// `stint pause` waits until `progress.json` says that the job is paused; a state that was
  /// written is not written again.
  private func tellOthers() {
    guard let report = statusReport() else { return }
    if teller.lastTold != report.state { teller.tell(report) }
  }
}
