import StintCore
import StintRuntime

/// Jobs as JSON (`docs/formats/cli-json.md`).
enum JobJSON {
  /// What `list` and `status` share.
  static func summary(
    _ view: JobView, tally: ItemTally? = nil, now: JournalRecord.Stamp
  ) -> JSONLine {
    let summary = view.summary
    var json = JSONLine()
    json.add("job", view.key)
    json.add("name", summary.record?.givenName)
    json.add("path", summary.path)
    json.add("state", view.state.rawValue)
    json.add("problem", summary.problem?.typed)
    json.add("kind", summary.record?.kind)
    json.add("parameters", object: summary.record.map(parameters))
    if let record = summary.record, let shard = record.shard {
      json.add("shard", shard.number)
      json.add("shards", shard.count)
      json.add("whole", record.whole)
    }
    json.add("output", summary.record?.outputPath?.text)
    if let variables = summary.record?.environment, !variables.isEmpty {
      json.add("environment", object: object(of: variables))
    }
    json.add("createdUnixSeconds", summary.record?.createdUnixSeconds)
    guard view.state != .foreign else { return json }
    json.add("fraction", view.fraction)
    json.add("lines", object: tally?.countsJSON)
    let report = view.progress?.report
    json.add("phase", report?.progress.phase)
    json.add("remainingSeconds", report?.remaining.duration.map(number))
    json.add("estimateSeconds", report?.estimateToFinish.map(number))
    json.add("workTimeSeconds", seconds: view.workTime)
    json.add("elapsedSeconds", seconds: view.elapsed(now: now))
    json.add("stints", summary.journal.stints)
    json.add("checkpoints", summary.journal.checkpoints)
    json.add(
      "lastActivityUnixSeconds", seconds: view.lastActivity.map(Duration.nanoseconds), decimals: 3)
    json.add("sizeBytes", summary.sizeBytes)
    json.add("stopRequested", isTrue: summary.isRunning && summary.markers.contains(.stop))
    json.add("pauseRequested", isTrue: summary.markers.contains(.pause))
    json.add("holder", object: summary.holder.map { holder($0, isHere: view.holderIsHere) })
    json.add("result", object: summary.journal.finish.map(result))
    return json
  }

  /// The number of seconds as it stands in `progress.json`, which has their nanoseconds.
  private static func number(_ duration: Duration) -> Double { Double(duration.nanoseconds) / 1e9 }

  private static func parameters(_ record: JobRecord) -> JSONLine { object(of: record.parameters) }

  private static func object(of values: [String: String]) -> JSONLine {
    var json = JSONLine()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { json.add(name, value) }
    return json
  }

  private static func holder(_ holder: LockHolder, isHere: Bool) -> JSONLine {
    var json = JSONLine()
    json.add("host", holder.host)
    json.add("bootId", holder.bootId)
    json.add("pid", holder.pid)
    json.add("startTicks", holder.startTicks)
    json.add("sinceUnixSeconds", holder.unixSeconds)
    json.add("isHere", isTrue: isHere)
    holder.engineJob?.add(to: &json)
    return json
  }

  private static func result(_ finish: JournalSummary.Finish) -> JSONLine {
    var json = JSONLine()
    json.add("sizeBytes", finish.hasResult ? finish.sizeBytes : nil)
    json.add("xxh3", finish.hasResult ? finish.checksum : nil)
    json.add(
      "finishedUnixSeconds", seconds: .nanoseconds(finish.stamp.unixNanoseconds), decimals: 3)
    return json
  }
}
