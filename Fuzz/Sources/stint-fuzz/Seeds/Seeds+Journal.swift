import StintCore
import StintRuntime

@testable import FuzzTargets

extension Seeds {
  /// A file of one line for each kind of line, some lines of a life, and lines that are none.
  static var journals: [String] {
    let singles = contents.map { JournalRecord(stamp: stamp(9), content: $0).line }
    let life = contents.prefix(9).enumerated().map { number, content in
      JournalRecord(stamp: stamp(Int64(number)), content: content).line
    }
    return singles + [
      life.joined(), life.joined() + singles[0].dropLast(30), "\n\n{}\nnull\n[1]\n{\"event\":1}\n",
      #"{"event":"later","unixSeconds":1,"bootId":"b","bootSeconds":2,"pid":3,"new":[{}]}"# + "\n",
      #"{"pid":3,"bootSeconds":2e9,"bootId":"é","unixSeconds":-1,"event":"notice","message":"\\"}"#,
      #"{"event":"stintBegan","time":"","unixSeconds":1e300,"bootId":"b","bootSeconds":-1e300,"#
        + #""pid":3,"workTimeSeconds":1e300,"budgetSeconds":null}"# + "\n",
    ]
  }

  private static func stamp(_ second: Int64) -> JournalRecord.Stamp {
    JournalRecord.Stamp(
      unixNanoseconds: 1_795_246_242_123_000_000, bootID: "b-1",
      instant: Instant(nanoseconds: 98_765_432_109_876 + second * 1_000_000_000), pid: 4711)
  }

  private static var contents: [JournalRecord.Content] {
    let instant = Instant(nanoseconds: 123_456_789)
    let reasons: [ExpiryReason] = [
      .timeElapsed, .signal(15), .revoked, .denied(.refused("no")), .stopRequested, .engineEndTime,
    ]
    var events: [JournalEvent] = [
      .stintBegan(
        budget: .milliseconds(1500), end: nil, restoredSequence: 41, workTime: .seconds(3)),
      .restoreProved(sequence: 41),
      .progressKept,
      .checkpoint(
        sequence: 42, sizeBytes: 1_048_704, took: .nanoseconds(12_345_678),
        workTime: .nanoseconds(9_876_543_211), fraction: 0.625),
      .checkpointFailed(message: "disk \"full\"\n\tat 100 %\u{1}", errno: 28),
      .setAside(file: "000041.ckpt", why: "is cut off"),
      .stintBegan(budget: nil, end: nil, restoredSequence: nil, workTime: .zero),
      .terminationInferred(cause: "it crashed"), .workerEnded(signal: 11),
      .notice("Größe: 7 µm \\ 🚀"),
    ]
    events += reasons.map {
      .expiryAnnounced(reason: $0, deadline: instant, openTasks: ["a", "b"])
    }
    events += StintEnd.allCases.map {
      .stintEnded(
        reason: $0, saved: .milliseconds(990), lost: .milliseconds(10), leastBudget: .seconds(2))
    }
    events.append(.finished(sizeBytes: 20_898_764, checksum: "00ff", workTime: .seconds(12)))
    return events.map { .event($0) } + [
      .restoreAttempted(sequence: 7), .publishing(sizeBytes: 5, checksum: "ab"),
      .lockAwaited(took: .milliseconds(1500)), .streaming,
    ]
  }
}
