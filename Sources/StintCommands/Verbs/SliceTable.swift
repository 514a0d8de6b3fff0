import StintCore
import StintRuntime

/// The slices of a chain: where each ran, what its work saved and lost, and why it ended.
struct SliceTable: Sendable {
  struct Slice: Sendable {
    let stint: StintHistory.PastStint
    /// The stints of the job that does the work, in this slice.
    let work: [StintHistory.PastStint]
    /// Why it ended, as a clause.
    let ending: String
    /// How long it ran, as far as it or its work said.
    let elapsed: Duration

    var saved: Duration { work.reduce(.zero) { $0 + $1.saved } }
    /// What is known to be lost; nil if a stint was ended before it could say.
    var lost: Duration? {
      work.contains { $0.lost == nil } ? nil : work.reduce(.zero) { $0 + ($1.lost ?? .zero) }
    }
    var checkpoints: Int { work.reduce(0) { $0 + $1.checkpoints } }
  }

  let slices: [Slice]

  /// Reads the slices.
  ///
  /// - Parameters:
  ///   - history: What the journal of the chain tells.
  ///   - work: What the journal of its work tells.
  ///   - isRunning: Whether a slice holds the chain.
  ///   - now: The time, in nanoseconds since 1970.
  ///   - engine: Who knows how a slice ended that could not say it.
  init(
    _ history: StintHistory, work: StintHistory, isRunning: Bool, now: Int64,
    engine: any Engine
  ) {
    let byJob = Dictionary(grouping: work.stints) { $0.began.engineJob?.job }
    let last = history.stints.count - 1
    slices = history.stints.enumerated().map { index, stint in
      let job = stint.began.engineJob?.job
      var ending = stint.account.ending(isOpen: index == last && isRunning)
      if index == last, !isRunning, stint.ended == nil, stint.inferredCause == nil, let job {
        ending = engine.end(of: job)?.words ?? ending
      }
      let work = job.flatMap { byJob[$0] } ?? []
      var elapsed = max(stint.elapsed, work.reduce(.zero) { $0 + $1.elapsed })
      if index == last, isRunning {
        // On another machine, whose other clock is not this one's.
        elapsed = max(elapsed, .nanoseconds(max(0, now - stint.began.unixNanoseconds)))
      }
      return Slice(stint: stint, work: work, ending: ending, elapsed: elapsed)
    }
  }

  var text: String {
    guard !slices.isEmpty else { return "" }
    let first = max(0, slices.count - StatusCommand.shownStints)
    var table = TextTable([
      ("SLICE", .right), ("BEGAN", .left), ("JOB", .left), ("NODE", .left), ("RAN", .right),
      ("SAVED", .right), ("LOST", .right), ("CHECKPOINTS", .right), ("HOW IT ENDED", .left),
    ])
    for (index, slice) in slices.enumerated().dropFirst(first) {
      let place = slice.stint.began.engineJob
      table.add([
        String(index + 1), TextTable.moment(slice.stint.began.unixNanoseconds), place?.job ?? "-",
        place?.node ?? "-", slice.elapsed.compactText,
        slice.work.isEmpty ? "-" : slice.saved.compactText,
        slice.work.isEmpty ? "-" : slice.lost?.compactText ?? "?",
        slice.work.isEmpty ? "-" : String(slice.checkpoints), slice.ending,
      ])
    }
    let more = first > 0 ? ", the last \(slices.count - first) of \(slices.count)" : ""
    return "\n  Slices\(more):\n" + table.render(indent: 2)
  }

  var json: [JSONLine] {
    slices.map { slice in
      var json = JSONLine()
      json.add(
        "beganUnixSeconds", seconds: .nanoseconds(slice.stint.began.unixNanoseconds), decimals: 3)
      slice.stint.began.engineJob?.add(to: &json)
      json.add("elapsedSeconds", seconds: slice.elapsed)
      json.add("savedSeconds", seconds: slice.saved)
      json.add("lostSeconds", seconds: slice.lost)
      json.add("checkpoints", slice.checkpoints)
      json.add("ended", slice.stint.ended?.rawValue)
      json.add("cause", slice.stint.inferredCause)
      json.add("why", slice.ending)
      return json
    }
  }
}
