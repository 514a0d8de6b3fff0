import StintCore

/// What `progress.json` says (`docs/formats/job.md`).
struct ProgressReading: Hashable, Sendable {
  var unixSeconds: Double
  var bootSeconds: Double
  var bootId: String
  var pid: Int32
  var state: StatusReport.State
  var phase: String
  var fraction: Double
  var remainingSeconds: Double?
  var nextCheckpointSeconds: Double?
  var checkpointAgeSeconds: Double?
  var estimateSeconds: Double?
  var fractionPerSecond: Double?
  var stint: Int
  var workTimeSeconds: Double
  var elapsedSeconds: Double

  /// Reads the file's bytes; nil if they are something else.
  init?(json bytes: [UInt8]) {
    do throws(JSONFault) {
      let object = try JSONObject(bytes)
      unixSeconds = try object.number("unixSeconds")
      bootSeconds = try object.number("bootSeconds")
      bootId = try object.text("bootId")
      pid = try object.integer("pid")
      state = try object.choice("state")
      phase = try object.text("phase")
      fraction = try object.number("fraction")
      remainingSeconds = try object.optionalNumber("remainingSeconds")
      nextCheckpointSeconds = try object.optionalNumber("nextCheckpointSeconds")
      checkpointAgeSeconds = try object.optionalNumber("checkpointAgeSeconds")
      estimateSeconds = try object.optionalNumber("estimateSeconds")
      fractionPerSecond = try object.optionalNumber("fractionPerSecond")
      stint = try object.integer("stint")
      workTimeSeconds = try object.number("workTimeSeconds")
      elapsedSeconds = try object.number("elapsedSeconds")
    } catch {
      return nil
    }
  }

  /// The report as of now: its times are advanced by the time since it was written.
  ///
  /// - Parameter now: The boot-time clock of the same boot.
  /// - Returns: A report as the worker itself would give it, but for the progress since.
  func report(now: Instant) -> StatusReport {
    let written = Instant(nanoseconds: Duration(clampingSeconds: bootSeconds).nanoseconds)
    let goesOn = state == .running || state == .saving
    let age = goesOn ? max(.zero, written.duration(to: now)) : .zero
    func duration(_ seconds: Double?) -> Duration? { seconds.map(Duration.init(clampingSeconds:)) }
    return StatusReport(
      state: state, progress: WorkProgress(fraction: fraction, phase: phase),
      remaining: duration(remainingSeconds).map { .limited(max(.zero, $0 - age)) } ?? .unlimited,
      nextCheckpointIn: duration(nextCheckpointSeconds).map { max(.zero, $0 - age) },
      checkpointAge: duration(checkpointAgeSeconds).map { $0 + age },
      estimateToFinish: duration(estimateSeconds), speed: fractionPerSecond, stint: stint,
      workTime: Duration(clampingSeconds: workTimeSeconds),
      elapsed: Duration(clampingSeconds: elapsedSeconds) + age)
  }
}
