import StintCore
import StintRuntime

/// A request in the queue of this machine as the verbs show it.
struct RequestPage {
  let entry: QueueMachine.Entry
  /// How it stands, as a sentence.
  let sentence: String
  /// What its work prints.
  let log: String
  /// The job that it works on; nil if its work has told none.
  let job: String?

  private var request: QueuedRequest { entry.request }
  private var terms: RequestTerms { request.terms }
  private var standing: RequestStanding { request.standing }

  /// Reads a request.
  ///
  /// - Throws: ``StintError``: `usage` if there is none, `damaged`, `io`.
  init(_ id: String, in context: VerbContext) throws {
    guard let entry = try context.queue.entry(id) else {
      throw StintError(.usage, "There is no request \(id) any more.")
    }
    self.init(entry, QueueReading(context.queue), in: context)
  }

  init(_ entry: QueueMachine.Entry, _ reading: QueueReading, in context: VerbContext) {
    self.entry = entry
    sentence = reading.sentence(of: entry)
    log = "\(context.queue.path(of: entry.id))/\(QueueStore.output)"
    job = context.workKey(of: entry.request)
    now = .nanoseconds(context.surroundings.wallTime.nanosecondsSince1970)
    wantsJSON = context.wantsJSON
  }

  private let now: Duration
  private let wantsJSON: Bool

  func result() -> VerbResult { VerbResult(output: wantsJSON ? json.line : text) }

  /// The page for people.
  private var text: String {
    var lines = FactLines("request \(entry.id)")
    lines.add("name", terms.name)
    lines.add("what", request.what)
    lines.add("state", entry.state)
    lines.add("why", sentence)
    lines.add("directory", terms.launch.directory)
    lines.add("submitted", moment(terms.submitted))
    lines.add("not before", (standing.next ?? terms.earliestBegin).map(moment))
    lines.add("every", terms.every?.compactText)
    lines.add("needs", terms.needs.list.isEmpty ? nil : terms.needs.list.joined(separator: ", "))
    for name in terms.launch.variables { lines.add("variable", name) }
    lines.add("time", terms.time.map { "\($0.compactText) for each run" })
    lines.add("priority", terms.priority == 0 ? nil : String(terms.priority))
    lines.add("after", terms.afterJob)
    lines.add("runs", runsText)
    lines.add("began", standing.began.map(moment))
    lines.add("ended", standing.ended.map(moment))
    lines.add("job", job)
    lines.add("log", log)
    return lines.text
  }

  private var runsText: String {
    let runs = ReportText.count(standing.runs, "run")
    guard standing.repetitions > 0 else { return runs }
    return "\(runs) after \(ReportText.count(standing.repetitions, "repetition"))"
  }

  private func moment(_ instant: WallInstant) -> String {
    let age = now - .nanoseconds(instant.nanoseconds)
    let when = TextTable.moment(instant.nanoseconds)
    return age < .zero ? when : "\(when), \(TextTable.age(age))"
  }

  /// The request for programs.
  var json: JSONLine {
    var json = JSONLine()
    json.add("request", entry.id)
    json.add("name", terms.name)
    json.add("state", entry.state)
    json.add("why", sentence)
    json.add("command", terms.launch.words)
    json.add("directory", terms.launch.directory)
    add("submittedUnixSeconds", terms.submitted, to: &json)
    add("earliestUnixSeconds", standing.next ?? terms.earliestBegin, to: &json)
    json.add("everySeconds", seconds: terms.every)
    json.add("needs", terms.needs.list)
    json.add("variables", terms.launch.variables)
    json.add("timeSeconds", seconds: terms.time)
    json.add("priority", terms.priority)
    json.add("afterJob", terms.afterJob)
    json.add("runs", standing.runs)
    json.add("repetitions", standing.repetitions)
    add("beganUnixSeconds", standing.began, to: &json)
    add("endedUnixSeconds", standing.ended, to: &json)
    json.add("job", job)
    json.add("log", log)
    return json
  }

  private func add(_ name: String, _ instant: WallInstant?, to json: inout JSONLine) {
    json.add(name, seconds: instant.map { .nanoseconds($0.nanoseconds) }, decimals: 3)
  }
}

extension QueueMachine.Entry {
  /// Its state in one word: that of the record, or `paused`.
  var state: String {
    request.standing.state == .waiting && pause != nil ? "paused" : request.standing.state.rawValue
  }
}

extension QueuedRequest {
  /// Its work, as one would write it on the command line.
  var what: String {
    let words = terms.launch.words
    return ([FilePath(words[0]).name.text] + words.dropFirst()).map(ShellWord.quoted)
      .joined(separator: " ")
  }
}

extension TaskRequest {
  /// What it needs, as `--needs` takes it.
  var list: [String] {
    var list = requirements.map { $0 == .externalPower ? "external-power" : $0.rawValue }.sorted()
    if mostLoad != nil { list.append("idle") }
    if let leastMemory { list.append("memory=\(Self.size(leastMemory))") }
    if let leastDisk { list.append("disk=\(Self.size(leastDisk))") }
    return list
  }

  private static func size(_ bytes: Int64) -> String {
    for (unit, size) in [("T", Int64(1) << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)]
    where bytes % size == 0 {
      return "\(bytes / size)\(unit)"
    }
    return "\(bytes)"
  }
}
