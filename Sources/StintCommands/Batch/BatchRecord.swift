import StintCore
import StintRuntime

/// One line of a batch's log: a process of one of its lines began or ended
/// (`docs/formats/batch-log.md`).
struct BatchRecord: Hashable, Sendable {
  enum Event: String, Hashable, Sendable, CaseIterable {
    case lineBegan, lineEnded
    /// The record of an end is in the job log.
    case lineTold
    /// The record of an end has gone to standard output.
    case linePrinted
    /// The line stands otherwise than the records before say.
    case lineStands
  }

  var event: Event
  /// When, in seconds since 1970; a label only.
  var unixSeconds: Double
  /// What the line is known by.
  var key: String
  /// Its number in the file at that time.
  var line: Int
  /// Its words, the verb first; with `lineEnded`.
  var words: [String]?
  var outcome: BatchLineEnd?
  /// How the line stands; with `lineStands`.
  var stands: BatchStanding?
  var exitStatus: Int32?
  var signal: Int32?
  /// When the process was started, in seconds since 1970.
  var startUnixSeconds: Double?
  /// The time from its start to its end.
  var seconds: Double?
  /// How many processes the line has had so far, and their time together.
  var stints: Int
  var totalSeconds: Double?
  /// Whether its time ended it before it had saved anything.
  var wasCut: Bool?
  /// Whether the job log is to have the record; only in the batch's own log.
  var isForJobLog: Bool?
  /// Whether standard output is to have the record; only in the batch's own log.
  var isForOutput: Bool?
  /// Why it failed, in words.
  var reason: String?
  /// The file of the result as it was then.
  var output: BatchOutputMark?

  /// The text without what only the batch itself needs.
  var textForOthers: String {
    var record = self
    record.isForJobLog = nil
    record.isForOutput = nil
    return record.text
  }

  /// The record as a line of JSON with its newline.
  var text: String {
    var json = JSONLine()
    json.add("event", event.rawValue)
    json.add("unixSeconds", Self.milliseconds(unixSeconds))
    json.add("key", key)
    json.add("line", line)
    if let words { json.add("words", words) }
    json.add("outcome", outcome?.rawValue)
    json.add("stands", stands?.rawValue)
    json.add("exitStatus", exitStatus)
    json.add("signal", signal)
    json.add("startUnixSeconds", startUnixSeconds.map(Self.milliseconds))
    json.add("seconds", seconds.map(Self.milliseconds))
    json.add("stints", stints)
    json.add("totalSeconds", totalSeconds.map(Self.milliseconds))
    if wasCut == true { json.add("wasCut", isTrue: true) }
    if isForJobLog == true { json.add("isForJobLog", isTrue: true) }
    if isForOutput == true { json.add("isForOutput", isTrue: true) }
    json.add("reason", reason)
    json.add("output", object: output?.json)
    return json.line
  }

  /// The header of GNU parallel's job log (parallel(1), `--joblog`).
  static let headerOfParallel =
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"

  /// The record as a row of that log.
  var rowOfParallel: String {
    let command = (words ?? []).map(ShellWord.quoted).joined(separator: " ")
    let columns = [
      "\(line)", ":", Self.decimal(startUnixSeconds ?? unixSeconds), Self.decimal(seconds ?? 0),
      "0", "0", "\(exitStatus ?? (signal == nil ? -1 : 0))", "\(signal ?? 0)",
      command.replacing("\n", with: " "),
    ]
    return columns.joined(separator: "\t") + "\n"
  }

  /// With three digits behind the point, as parallel has them.
  private static func decimal(_ seconds: Double) -> String {
    let (whole, rest) = Int64((seconds * 1000).rounded()).quotientAndRemainder(dividingBy: 1000)
    let digits = String(abs(rest))
    return "\(whole)." + String(repeating: "0", count: 3 - digits.count) + digits
  }

  private static func milliseconds(_ seconds: Double) -> Double {
    (seconds * 1000).rounded() / 1000
  }

  /// By what its process ended, as words; nil if it was not started or has not ended.
  var endedBy: String? {
    exitStatus.map { "exit status \($0)" } ?? signal.map { "signal \($0)" }
  }

  /// Reads a line; nil if it is not one of these records.
  init?(line bytes: ArraySlice<UInt8>) {
    do throws(JSONFault) {
      let object = try JSONObject(Array(bytes))
      event = try object.choice("event")
      unixSeconds = try object.number("unixSeconds")
      key = try object.text("key")
      line = try object.integer("line")
      words = try object.optionalTexts("words")
      outcome = try object.optionalChoice("outcome")
      stands = try object.optionalChoice("stands")
      exitStatus = try object.optionalInteger("exitStatus")
      signal = try object.optionalInteger("signal")
      startUnixSeconds = try object.optionalNumber("startUnixSeconds")
      seconds = try object.optionalNumber("seconds")
      stints = try object.integer("stints")
      totalSeconds = try object.optionalNumber("totalSeconds")
      wasCut = try object.optional("wasCut", "true or false") { $0.truth }
      isForJobLog = try object.optional("isForJobLog", "true or false") { $0.truth }
      isForOutput = try object.optional("isForOutput", "true or false") { $0.truth }
      reason = try object.optionalText("reason")
      let mark = try object.optional("output", "an object") { $0.object }
      output = if let mark { try BatchOutputMark(mark) } else { nil }
    } catch {
      return nil
    }
  }

  /// The record that another one is where others read it.
  init(_ event: Event, after record: BatchRecord) {
    (self.event, unixSeconds) = (event, record.unixSeconds)
    (key, line, stints) = (record.key, record.line, record.stints)
  }

  /// Says how a line stands, whatever the records before say.
  init(_ key: String, stands: BatchStanding, line: Int, stints: Int, unixNanoseconds: Int64) {
    event = .lineStands
    unixSeconds = Double(unixNanoseconds) / 1e9
    (self.key, self.stands, self.line, self.stints) = (key, stands, line, stints)
  }

  init(_ event: Event, of job: BatchJob, stints: Int, unixNanoseconds: Int64) {
    self.event = event
    unixSeconds = Double(unixNanoseconds) / 1e9
    key = job.key
    line = job.number
    self.stints = stints
  }
}
