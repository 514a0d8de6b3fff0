/// What a request in the queue of a machine asks for.
package struct RequestTerms: Hashable, Sendable {
  /// What the request is for.
  package enum Work: Hashable, Sendable {
    /// A command is run until it is done.
    case command
    /// Each run is a slice of a chain, whose key this is.
    case chain(String)
    /// A program is launched into the background when one of its own requests is due.
    case application
  }

  package var work = Work.command
  /// With what the work is started.
  package var launch: LaunchRecord
  /// What the user calls it.
  package var name: String?
  /// What submitted it, if that was no person: whoever was killed while it did so finds it by this.
  package var origin: String?
  /// When it was submitted.
  package var submitted: WallInstant
  /// Before this time it does not begin; nil for as soon as possible.
  package var earliestBegin: WallInstant?
  /// The distance of two repetitions; nil for none.
  package var every: Duration?
  /// What has to be there when the work begins, and while it runs; of the request the identifier
  /// is this one's.
  package var needs: TaskRequest
  /// How long one run may take; nil for as long as it likes.
  package var time: Duration?
  /// How long before the end of that the work is warned; nil for the usual time.
  package var lead: Duration?
  /// Those with a higher one begin first.
  package var priority = 0
  /// A request or a job that has to be finished before.
  package var afterJob: String?
  /// The machine that runs it: a state folder may lie on a file server.
  package var machine: String
  /// The most runs of a chain.
  package var slices = 1

  package init(launch: LaunchRecord, submitted: WallInstant, machine: String) {
    self.launch = launch
    self.submitted = submitted
    self.machine = machine
    needs = TaskRequest("", kind: .processing)
  }
}

/// A request in the queue of a machine: what it asks for and how it stands, the file
/// `request.json` (Q6).
package struct QueuedRequest: Hashable, Sendable {
  package static let fileName = "request.json"
  private static let formatVersion = 1

  /// Its number, or the name of an application's; the name of its folder.
  package var id: String
  package var terms: RequestTerms
  package var standing: RequestStanding

  package init(id: String, terms: RequestTerms, standing: RequestStanding = RequestStanding()) {
    self.id = id
    self.terms = terms
    self.standing = standing
    self.terms.needs.identifier = id
  }

  /// The number by which it is submitted earlier or later than another one; 0 for an application.
  package var number: Int { Int(id) ?? 0 }

  package var contents: [UInt8] {
    var json = JSONLine()
    json.add("formatVersion", Self.formatVersion)
    json.add("id", id)
    switch terms.work {
    case .command: json.add("kind", "command")
    case .chain(let key):
      json.add("kind", "chain")
      json.add("chain", key)
      json.add("slices", terms.slices)
    case .application: json.add("kind", "application")
    }
    terms.launch.add(to: &json)
    json.add("name", terms.name)
    json.add("origin", terms.origin)
    json.add("submittedUnixNs", terms.submitted.nanoseconds)
    json.add("earliestUnixNs", terms.earliestBegin?.nanoseconds)
    json.add("everyNs", terms.every?.nanoseconds)
    json.add("requirements", terms.needs.requirements.map(\.rawValue).sorted())
    json.add("mostLoad", terms.needs.mostLoad)
    json.add("leastMemory", terms.needs.leastMemory)
    json.add("leastDisk", terms.needs.leastDisk)
    json.add("timeNs", terms.time?.nanoseconds)
    json.add("leadNs", terms.lead?.nanoseconds)
    json.add("priority", terms.priority)
    json.add("afterJob", terms.afterJob)
    json.add("machine", terms.machine)
    standing.add(to: &json)
    return Array(json.line.utf8)
  }
}

extension QueuedRequest {
  /// Reads the file of a request.
  ///
  /// - Throws: ``JSONFault`` for what is none, or another one's.
  package init(contents: [UInt8], of id: String) throws(JSONFault) {
    let object = try JSONObject(contents)
    let version: Int = try object.integer("formatVersion")
    guard version == Self.formatVersion else { throw JSONFault("format \(version) is not known") }
    guard try object.text("id") == id else { throw JSONFault("it is of another request") }
    var terms = RequestTerms(
      launch: try LaunchRecord(object),
      submitted: WallInstant(nanoseconds: try object.integer("submittedUnixNs")),
      machine: try object.text("machine"))
    switch try object.text("kind") {
    case "command": terms.work = .command
    case "chain":
      terms.work = .chain(try object.text("chain"))
      terms.slices = try object.integer("slices")
    case "application": terms.work = .application
    case let other: throw JSONFault("the kind \"\(other.prefix(40))\" is not known")
    }
    terms.name = try object.optionalText("name")
    terms.origin = try object.optionalText("origin")
    terms.earliestBegin = try object.wallInstant("earliestUnixNs")
    terms.every = try object.duration("everyNs")
    for word in try object.optionalTexts("requirements") ?? [] {
      guard let requirement = TaskRequirement(rawValue: word) else {
        throw JSONFault("the requirement \"\(word.prefix(40))\" is not known")
      }
      terms.needs.requirements.insert(requirement)
    }
    terms.needs.mostLoad = try object.optionalNumber("mostLoad")
    terms.needs.leastMemory = try object.optionalInteger("leastMemory")
    terms.needs.leastDisk = try object.optionalInteger("leastDisk")
    terms.time = try object.duration("timeNs")
    terms.lead = try object.duration("leadNs")
    terms.priority = try object.optionalInteger("priority") ?? 0
    terms.afterJob = try object.optionalText("afterJob")
    self.init(id: id, terms: terms, standing: try RequestStanding(object))
    guard terms.slices > 0, !terms.launch.words.isEmpty,
      [terms.every, terms.time].allSatisfy({ $0.map { $0 > .zero } ?? true })
    else { throw JSONFault("a number is out of range") }
    let launch = terms.launch
    guard !(launch.words + launch.variables + [launch.directory]).contains(where: \.holdsNull)
    else {
      throw JSONFault("a word holds a null character")
    }
  }
}

extension String {
  /// No program could be given it.
  fileprivate var holdsNull: Bool { utf8.contains(0) }
}

extension RequestStanding {
  /// Larger counts are no counts.
  private static let countable = 0..<(1 << 53)

  fileprivate func add(to json: inout JSONLine) {
    json.add("state", state.rawValue)
    json.add("runs", runs)
    json.add("repetitions", repetitions)
    json.add("deaths", deaths)
    json.add("vanished", vanished)
    json.add("beganUnixNs", began?.nanoseconds)
    json.add("endedUnixNs", ended?.nanoseconds)
    json.add("nextUnixNs", next?.nanoseconds)
    json.add("retrySinceUnixNs", retry?.since.nanoseconds)
    json.add("retryWaitNs", retry?.wait.nanoseconds)
    json.add("why", why)
  }

  fileprivate init(_ object: JSONObject) throws(JSONFault) {
    self.init()
    state = try object.choice("state")
    runs = try object.optionalInteger("runs") ?? 0
    repetitions = try object.optionalInteger("repetitions") ?? 0
    deaths = try object.optionalInteger("deaths") ?? 0
    vanished = try object.optionalInteger("vanished") ?? 0
    began = try object.wallInstant("beganUnixNs")
    ended = try object.wallInstant("endedUnixNs")
    next = try object.wallInstant("nextUnixNs")
    if let since = try object.wallInstant("retrySinceUnixNs"),
      let wait = try object.duration("retryWaitNs")
    {
      retry = Retry(since: since, wait: min(wait, Self.longestWait))
    }
    why = try object.optionalText("why")
    guard [runs, repetitions, deaths, vanished].allSatisfy(Self.countable.contains) else {
      throw JSONFault("a number is out of range")
    }
  }
}

extension JSONObject {
  /// An instant of the wall clock in nanoseconds since 1970, or nil if it is missing.
  package func wallInstant(_ name: String) throws(JSONFault) -> WallInstant? {
    let nanoseconds: Int64? = try optionalInteger(name)
    return nanoseconds.map { WallInstant(nanoseconds: $0) }
  }

  /// A span in nanoseconds, or nil if it is missing.
  package func duration(_ name: String) throws(JSONFault) -> Duration? {
    let nanoseconds: Int64? = try optionalInteger(name)
    return nanoseconds.map { .nanoseconds($0) }
  }
}
