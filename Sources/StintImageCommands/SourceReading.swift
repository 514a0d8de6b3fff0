#if Images
import Glibc
import StintRuntime
import StintCommands
import StintCore
import StintImages

/// The reading of a source for its fingerprint, before there is a worker: it takes its time from
/// the same trips as the work.
///
/// What was read is remembered in pieces, so a source that takes longer than a budget is read in
/// several stints.
struct SourceReading {
  /// What the user called the source.
  let path: String
  let options: RunOptions
  let launch: Launch

  /// Reads the source, stint after stint with `--until-done`; if the time is up before, the process
  /// ends here.
  ///
  /// - Returns: The fingerprint, and when the trip began in which it was complete and in which the
  ///   work begins.
  /// - Throws: ``StintError``: `noProgress` if no budget of this length could read anything, `io`,
  ///   `mismatch`.
  func run(_ file: SourceFile) throws -> (SourceFingerprint, tripBegan: Instant) {
    let cache = FingerprintCache(jobsDirectory: options.jobsDirectory)
    // Each stint of reading has a hard stop of its own.
    LastMoment.set(nil)
    var began = launch.start.launchedAt
    var fruitless = 0
    while true {
      let stint = stint(began: began)
      let reading = BootClock.now
      let hardStop = try ReadingStop(at: stint?.deadline)
      let outcome = try file.fingerprint(
        cache: cache, now: WallTime.now().nanosecondsSince1970, threads: options.threadCount,
        shouldStop: {
          stint.map { BootClock.now >= $0.ends } ?? false || SignalWatch.pendingOrWarned() != nil
        })
      hardStop.disarm()
      switch outcome {
      case .complete(let fingerprint): return (fingerprint, began)
      case .stopped(let fraction, let pieces, let bytesRead):
        if SignalWatch.pendingOrWarned() != nil { leave(fraction) }
        fruitless = pieces == 0 ? fruitless + 1 : 0
        // One that was far from it, or as many in a row as a job is given (W13).
        let isHopeless =
          bytesRead < SourceFingerprint.pieceBytes / 4
          || fruitless >= WorkPolicy().stintsWithoutProgress
        if pieces == 0, isHopeless, let stint {
          try refuseHopeless(stint, bytesRead, from: reading)
        }
        guard options.time.untilDone, launch.start.invitation == nil else { leave(fraction) }
        began = rest(fraction)
      }
    }
  }

  // MARK: Time

  /// A stint of reading.
  private struct Stint {
    var deadline: Instant
    /// When the reading must end, so that it can still be remembered.
    var ends: Instant
    var grant: Duration
  }

  /// The stint that began then; nil without an end.
  private func stint(began: Instant) -> Stint? {
    if launch.start.invitation != nil {
      // Whoever offers a conversation says in the environment when it ends; the conversation itself
      // begins with the work.
      guard let deadline = launch.start.offeredDeadline else { return nil }
      let grant = max(.zero, began.duration(to: deadline))
      let lead = SystemPolicy.commandLine.withBudget(max(grant, .milliseconds(1)), lead: nil).lead
      return Stint(
        deadline: deadline, ends: began.advanced(by: max(.zero, grant - lead)), grant: grant)
    }
    guard let (grant, _) = options.time.grant(since: began) else { return nil }
    let lead = options.time.systemPolicy.lead
    return Stint(
      deadline: began.advanced(by: grant), ends: began.advanced(by: max(.zero, grant - lead)),
      grant: grant)
  }

  /// Says how far it is and rests; when the next stint begins.
  private func rest(_ fraction: Double) -> Instant {
    tell("\(ReportText.percent(fraction).drop { $0 == " " }) of \(path) is read for its checksum.")
    let end = BootClock.now.advanced(by: options.time.rest)
    while true {
      let left = BootClock.now.duration(to: end)
      guard left > .zero else { break }
      // Signals are blocked until there is a worker that they could stop.
      if SignalWatch.pendingOrWarned() != nil { leave(fraction) }
      poll(nil, 0, Int32(clamping: min(left, .milliseconds(50)).nanoseconds / 1_000_000 + 1))
    }
    let now = BootClock.now
    if let (grant, _) = options.time.grant(since: now), grant <= options.time.systemPolicy.lead {
      leave(fraction)
    }
    return now
  }

  // MARK: Ends

  /// Refuses a source of which a whole stint reads less than can be remembered (W2, W13).
  private func refuseHopeless(_ stint: Stint, _ bytesRead: Int, from start: Instant) throws {
    // One that began late may have more time the next time.
    let began = stint.deadline.advanced(by: .zero - stint.grant)
    guard began.duration(to: start) < stint.grant / 2 else { return }
    let took = max(start.duration(to: BootClock.now).inSeconds, 0.001)
    let rate = Double(max(bytesRead, 1 << 16)) / took
    let atOnce = Double(options.threadCount * SourceFingerprint.pieceBytes)
    // The last quarter of a budget is its lead.
    let least = Duration(clampingSeconds: 1.5 * atOnce / rate * 4 / 3)
    throw StintError(
      .noProgress,
      "A stint of \(stint.grant.compactText) cannot read \(SourceFingerprint.pieceBytes >> 20) MiB of \(path) "
        + "for its checksum, the smallest part that can be saved; the least budget that would do is about "
        + "\(least.compactText).")
  }

  private func leave(_ fraction: Double) -> Never {
    tell(
      "Time is up while \(path) was read for its checksum; "
        + "\(ReportText.percent(fraction).drop { $0 == " " }) of it is "
        + "remembered. Run the same command again to continue.")
    SignalWatch.leave(unfinished: options.unfinishedExitCode)
  }

  private func tell(_ sentence: String) {
    if !options.display.quiet { complain(sentence) }
  }
}

/// Ends the process at the deadline if a read from a disk that is gone never returns (A19).
private final class ReadingStop {
  init(at deadline: Instant?) throws {
    if let deadline { try HardStop.shared.set(deadline, for: self) }
  }

  func disarm() { try? HardStop.shared.set(nil, for: self) }

  deinit { disarm() }
}
#endif
