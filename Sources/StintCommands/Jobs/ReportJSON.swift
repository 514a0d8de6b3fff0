import StintCore
import StintRuntime

/// The JSON lines of a run (`docs/formats/events.md`).
enum ReportJSON {
  /// A tick, without a newline.
  static func tick(_ report: StatusReport, stamp: JournalRecord.Stamp) -> String {
    line("tick", stamp: stamp) { add(report, to: &$0) }
  }

  /// What happened then, with the members that are added, without a newline.
  static func line(
    _ event: String, stamp: JournalRecord.Stamp, _ add: (inout JSONLine) -> Void
  ) -> String {
    var json = JSONLine()
    json.add("event", event)
    json.add("unixSeconds", seconds: .nanoseconds(stamp.unixNanoseconds))
    json.add("bootId", stamp.bootID)
    json.add("bootSeconds", seconds: .nanoseconds(stamp.instant.nanoseconds))
    json.add("pid", stamp.pid)
    add(&json)
    return String(json.line.dropLast())
  }

  /// The account of a run that ends with an exit status, without a newline.
  static func summary(
    job: Job, output: String?, report: StatusReport?, outcome: String, exitStatus: Int32,
    published: OutputFile.Published?, error: StintError? = nil, many: (any ManyResults)? = nil
  ) -> String {
    var json = JSONLine()
    json.add("job", job.key)
    json.add("jobPath", job.isMaterialized ? job.path : nil)
    json.add("output", output)
    json.add("outcome", outcome)
    json.add("exitStatus", exitStatus)
    json.add("error", error.map { Sentence.of($0) })
    json.add("sizeBytes", published?.sizeBytes)
    json.add("xxh3", published?.checksum)
    many?.add(to: &json)
    if let report { add(report, to: &json) }
    return String(json.line.dropLast())
  }

  private static func add(_ report: StatusReport, to json: inout JSONLine) {
    json.add("state", report.state.rawValue)
    json.add("phase", report.progress.phase)
    json.add("fraction", report.progress.fraction)
    json.add("remainingSeconds", seconds: report.remaining.duration)
    json.add("nextCheckpointSeconds", seconds: report.nextCheckpointIn)
    json.add("checkpointAgeSeconds", seconds: report.checkpointAge)
    json.add("estimateSeconds", seconds: report.estimateToFinish)
    json.add("fractionPerSecond", report.speed)
    json.add("stint", report.stint)
    json.add("workTimeSeconds", seconds: report.workTime)
    json.add("elapsedSeconds", seconds: report.elapsed)
  }
}

extension StatusReport {
  /// Reads what ``ReportJSON`` wrote.
  init(_ object: JSONObject) throws(JSONFault) {
    self.init(
      state: try object.choice("state"),
      progress: WorkProgress(
        fraction: try object.number("fraction"), phase: try object.text("phase")),
      remaining: try object.optionalSeconds("remainingSeconds").map { .limited($0) } ?? .unlimited,
      nextCheckpointIn: try object.optionalSeconds("nextCheckpointSeconds"),
      checkpointAge: try object.optionalSeconds("checkpointAgeSeconds"),
      estimateToFinish: try object.optionalSeconds("estimateSeconds"),
      speed: try object.optionalNumber("fractionPerSecond"), stint: try object.integer("stint"),
      workTime: try object.seconds("workTimeSeconds"),
      elapsed: try object.seconds("elapsedSeconds"))
  }

  /// The last tick in whole lines of events; nil if there is none.
  init?(events bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let tick = lines.reversed().lazy.compactMap { try? JSONObject(Array($0)) }
      .first { $0["event"] == .text("tick") }
    guard let tick, let report = try? StatusReport(tick) else { return nil }
    self = report
  }
}
