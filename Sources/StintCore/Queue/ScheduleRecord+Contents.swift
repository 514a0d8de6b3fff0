// The file `tasks.json` (docs/formats/tasks.md).

extension ScheduleRecord {
  package static let fileName = "tasks.json"
  private static let formatVersion = 1

  package var contents: [UInt8] {
    var json = JSONLine()
    json.add("formatVersion", Self.formatVersion)
    json.add("requests", objects: requests.map(\.line))
    json.add(
      "deaths",
      objects: deaths.sorted { $0.key < $1.key }.map { identifier, death in
        var json = JSONLine()
        json.add("identifier", identifier)
        json.add("count", death.count)
        json.add("beganUnixNs", death.began.nanoseconds)
        return json
      })
    json.add("fetch", object: fetchLine)
    json.add("usage", object: usageLine)
    json.add("begins", begins)
    return Array(json.line.utf8)
  }

  private var fetchLine: JSONLine {
    var json = JSONLine()
    switch plan.interval {
    case .never: json.add("interval", "never")
    case .minimum: json.add("interval", "minimum")
    case .atLeast(let distance):
      json.add("interval", "atLeast")
      json.add("intervalNs", distance.nanoseconds)
    }
    json.add("doublings", plan.doublings)
    json.add("sinceUnixNs", plan.since?.nanoseconds)
    if isFetching { json.add("isRunning", isTrue: true) }
    return json
  }

  private var usageLine: JSONLine? {
    guard let week = plan.usage.week else { return nil }
    var json = JSONLine()
    json.add("week", week)
    json.add(
      "hours",
      objects: plan.usage.hours.enumerated().filter { $0.element > 0 }.map { hour, weight in
        var json = JSONLine()
        json.add("hour", hour)
        json.add("weight", weight)
        return json
      })
    return json
  }

  /// Reads the file.
  ///
  /// - Throws: ``JSONFault`` for what is none.
  package init(contents: [UInt8]) throws(JSONFault) {
    self.init()
    let object = try JSONObject(contents)
    let version: Int = try object.integer("formatVersion")
    guard version == Self.formatVersion else { throw JSONFault("format \(version) is not known") }
    for line in try object.objects("requests") { requests.append(try Kept(line)) }
    for line in try object.objects("deaths") {
      guard let began = try line.wallInstant("beganUnixNs") else {
        throw JSONFault("\"beganUnixNs\" is missing")
      }
      let death = Death(count: try line.integer("count"), began: began)
      guard (1..<Self.mostDeaths).contains(death.count) else {
        throw JSONFault("a number is out of range")
      }
      deaths[try line.text("identifier")] = death
    }
    try readFetch(object)
    begins = try object.optionalInteger("begins") ?? 0
    guard (0...1 << 60).contains(begins) else { throw JSONFault("a number is out of range") }
  }

  private mutating func readFetch(_ object: JSONObject) throws(JSONFault) {
    guard let fetch = try object.object("fetch") else { return }
    let interval: FetchInterval
    switch try fetch.text("interval") {
    case "never": interval = .never
    case "minimum": interval = .minimum
    case "atLeast": interval = .atLeast(try fetch.duration("intervalNs") ?? .zero)
    case let other: throw JSONFault("the interval \"\(other.prefix(40))\" is not known")
    }
    plan = FetchPlan(
      interval: interval, usage: try UsageHistory(object.object("usage")),
      doublings: try fetch.optionalInteger("doublings") ?? 0,
      since: try fetch.wallInstant("sinceUnixNs"))
    isFetching = try fetch.optional("isRunning", "true or false") { $0.truth } ?? false
  }
}

extension ScheduleRecord.Kept {
  fileprivate var line: JSONLine {
    var json = JSONLine()
    json.add("identifier", request.identifier)
    json.add("kind", request.kind.rawValue)
    json.add("earliestUnixNs", request.earliestBegin?.nanoseconds)
    json.add("requirements", request.requirements.map(\.rawValue).sorted())
    json.add("mostLoad", request.mostLoad)
    json.add("leastMemory", request.leastMemory)
    json.add("leastDisk", request.leastDisk)
    if !request.waitsForRoom { json.add("waitsForRoom", isTrue: false) }
    json.add("beganUnixNs", began?.nanoseconds)
    json.add("setAside", setAside?.rawValue)
    return json
  }

  fileprivate init(_ object: JSONObject) throws(JSONFault) {
    var request = TaskRequest(
      try object.text("identifier"), kind: try object.choice("kind"),
      earliestBegin: try object.wallInstant("earliestUnixNs"))
    guard request.kind.isKept else {
      throw JSONFault("a request of the kind \(request.kind.rawValue) is not kept")
    }
    for word in try object.optionalTexts("requirements") ?? [] {
      guard let requirement = TaskRequirement(rawValue: word) else {
        throw JSONFault("the requirement \"\(word.prefix(40))\" is not known")
      }
      request.requirements.insert(requirement)
    }
    request.mostLoad = try object.optionalNumber("mostLoad")
    request.leastMemory = try object.optionalInteger("leastMemory")
    request.leastDisk = try object.optionalInteger("leastDisk")
    request.waitsForRoom = try object.optional("waitsForRoom", "true or false") { $0.truth } ?? true
    self.init(
      request, began: try object.wallInstant("beganUnixNs"),
      setAside: try object.optionalChoice("setAside"))
  }
}

extension UsageHistory {
  fileprivate init(_ object: JSONObject?) throws(JSONFault) {
    guard let object else {
      self.init()
      return
    }
    var hours: [Int: Double] = [:]
    for line in try object.objects("hours") {
      let (hour, weight): (Int, Double) = (try line.integer("hour"), try line.number("weight"))
      guard (0..<Self.hoursOfWeek).contains(hour), (0..<1e9).contains(weight) else {
        throw JSONFault("a number is out of range")
      }
      hours[hour] = weight
    }
    let week: Int64 = try object.integer("week")
    // Beyond these no clock comes.
    guard (-100_000...100_000).contains(week) else { throw JSONFault("a number is out of range") }
    self.init(hours: hours, week: week)
  }
}

extension JSONObject {
  /// An object, or nil if it is missing.
  fileprivate func object(_ name: String) throws(JSONFault) -> JSONObject? {
    try optional(name, "an object") { value in
      if case .object(let object) = value { object } else { nil }
    }
  }
}
