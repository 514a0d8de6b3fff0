extension Scenario: Codable {
  /// The format's name and version.
  package static let format = "stint-scenario/1"

  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(
      decoder,
      allowed: [
        "format", "name", "title", "description", "trips", "workSeconds", "trace", "workload",
        "strategies", "everySeconds", "leastSavedShare", "expectedLimits",
      ])
    let format = try reader.text("format")
    guard format == Self.format else {
      throw reader.refused(
        "format", "is \"\(format.prefix(40))\"; this version reads \"\(Self.format)\"")
    }
    self.init(
      name: try reader.text("name"), title: try reader.text("title"),
      trace: try reader.value("trace", "an object with grant"),
      workload: try reader.value("workload", "an object with chunk and checkpoint"))
    let budget = trace.meanGrantSeconds
    guard workload.restartSeconds < budget || !trace.hasKnownMean else {
      throw reader.refused(
        "workload.restartSeconds",
        "is \(workload.restartSeconds.short); it must be below the mean budget of \(budget.short) seconds"
      )
    }
    guard (1...60).contains(name.count),
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    else {
      throw reader.refused("name", "must be 1 to 60 letters, digits and hyphens")
    }
    description = try reader.text("description", default: "")
    trips = try reader.integer("trips", in: 1...1_000_000, default: 200)
    let above = 1e-9...1e12
    givenWorkSeconds = try reader.optionalNumber("workSeconds", in: above)
    givenEverySeconds = try reader.optionalNumber("everySeconds", in: above)
    if let names: [String] = try reader.optional("strategies", "an array of names") {
      strategies = try names.map { word in
        if let name = StrategyName(rawValue: word) { return name }
        let known = StrategyName.allCases.map(\.rawValue).joined(separator: ", ")
        throw reader.refused(
          "strategies", "names \"\(word.prefix(40))\"; it must be an array of \(known)")
      }
      guard !strategies.isEmpty, Set(strategies).count == strategies.count else {
        throw reader.refused("strategies", "must name at least one strategy, each once")
      }
    }
    leastSavedShare = try reader.optionalNumber("leastSavedShare", in: 0...1)
    expectedLimits = try reader.optional("expectedLimits", "an array of objects") ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: MemberName.self)
    try object.encode(Self.format, forKey: MemberName("format"))
    try object.encode(name, forKey: MemberName("name"))
    try object.encode(title, forKey: MemberName("title"))
    try object.encode(description, forKey: MemberName("description"))
    try object.encode(trips, forKey: MemberName("trips"))
    try object.encode(trace, forKey: MemberName("trace"))
    try object.encode(workload, forKey: MemberName("workload"))
    try object.encode(strategies.map(\.rawValue), forKey: MemberName("strategies"))
    if givenWorkSeconds != nil || trace.hasKnownMean {
      try object.encode(workSeconds, forKey: MemberName("workSeconds"))
      try object.encode(everySeconds, forKey: MemberName("everySeconds"))
    }
    try object.encodeIfPresent(leastSavedShare, forKey: MemberName("leastSavedShare"))
    if !expectedLimits.isEmpty {
      try object.encode(expectedLimits, forKey: MemberName("expectedLimits"))
    }
  }
}

extension Trace {
  /// False for a CSV file whose lines were not read.
  fileprivate var hasKnownMean: Bool {
    switch grant {
    case .listed(_, let trips): !trips.isEmpty
    case .drawn(let distribution): !distribution.isUnread
    case .policy: true
    }
  }
}
