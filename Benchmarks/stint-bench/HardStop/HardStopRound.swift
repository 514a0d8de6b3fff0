import Stint
import StintCore

/// What was seen of one process and its deadline.
struct HardStopRound: Hashable {
  /// How long after the deadline the process last read the clock, in milliseconds; negative if it
  /// was before.
  var lastInstruction: Double
  /// How long after the deadline its parent knew of its end, in milliseconds.
  var reaped: Double
  /// Whether it got to be stuck, or to end its task, before its deadline; on a crowded machine it
  /// may not.
  var hasPlayed: Bool
  /// Whether it ended as it should.
  var isRight: Bool
  /// The most memory that it had resident, in MiB; 0 if it did not tell.
  var peakResident: Double

  /// Runs one process to its end.
  init(_ subject: HardStopSubject, page: SharedPage, budget: Duration) throws {
    page.clear()
    let child = try subject.start(page: page.descriptor, budget: budget)
    let (end, at, _) = child.wait()
    let deadline =
      subject.isTimeout
      ? child.startedAt.advanced(by: budget) : Instant(nanoseconds: page[.deadline])
    // timeout -s KILL ends itself before the process is gone.
    child.waitForOrphans()
    func late(_ instant: Instant) -> Double { deadline.duration(to: instant).inSeconds * 1e3 }
    lastInstruction = late(Instant(nanoseconds: page[.lastClock]))
    reaped = late(at)
    hasPlayed = subject.hasPlayed(page)
    // One that never got so far as to end its task is rightly killed.
    isRight = subject.isRight(end) || (subject.isControl && !hasPlayed)
    peakResident = Double(page[.peakResident]) / 1024
  }
}
