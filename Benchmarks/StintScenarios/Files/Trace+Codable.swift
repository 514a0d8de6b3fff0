import StintCore

extension Trace: Decodable {
  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(decoder, CodingKeys.self)
    self.init(
      grant: try reader.value(
        "grant", "a distribution, {\"policy\": NAME} or {\"csv\": FILE}"))
    isAnnounced = try reader.optional("isAnnounced", "true or false") ?? true
    leadSeconds = try reader.optionalNumber("leadSeconds", in: 0...Distribution.longest)
    warning = try reader.optional("warning", "an object with beforeSeconds")
    enforcedLate = try reader.distribution("enforcedLateSeconds", default: .constant(0))
    revocation = try reader.optional("revocation", "an object with afterSeconds and leadSeconds")
    deniedShare = try reader.number("deniedShare", in: 0...0.95, default: 0)
    standstill = try reader.optional("standstill", "an object with share and seconds")
    moves = try reader.optional("moves", "an object with share, afterSeconds and bySeconds")
    guard moves == nil || isAnnounced else {
      throw reader.refused("moves", "needs isAnnounced: an end that nobody was told cannot move")
    }
  }
}

extension Trace.Grant: Codable {
  package init(from decoder: any Decoder) throws {
    let object = try? decoder.container(keyedBy: MemberName.self)
    if object?.contains(MemberName("policy")) == true {
      let reader = try ObjectReader(decoder, allowed: ["policy"])
      let name = try reader.text("policy")
      guard let policy = SystemPolicy.named(name), policy.grant != nil else {
        let known = SystemPolicy.presets.filter { $0.grant != nil }.map(\.name)
        throw reader.refused(
          "policy",
          "is \"\(name.prefix(40))\"; it must be a preset with an end: \(known.joined(separator: ", "))"
        )
      }
      self = .policy(policy)
    } else if object?.contains(MemberName("csv")) == true {
      let reader = try ObjectReader(decoder, allowed: ["csv"])
      let name = try reader.text("csv")
      guard let folder = decoder.userInfo[.scenarioFolder] as? ScenarioFolder else {
        self = .listed(name: name, [])
        return
      }
      guard ScenarioFolder.canHold(name) else { throw reader.refused("csv", ScenarioFolder.rule) }
      self = .listed(name: name, try CSVTrace.trips(try folder.table(name)))
    } else {
      self = .drawn(try Distribution(from: decoder))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .drawn(let distribution): try distribution.encode(to: encoder)
    case .policy(let policy):
      var object = encoder.container(keyedBy: MemberName.self)
      try object.encode(policy.name, forKey: MemberName("policy"))
    case .listed(let name, _):
      var object = encoder.container(keyedBy: MemberName.self)
      try object.encode(name, forKey: MemberName("csv"))
    }
  }
}

extension Trace.Warning: Decodable {
  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(decoder, CodingKeys.self)
    self.init(
      before: try reader.distribution("beforeSeconds"),
      missedShare: try reader.number("missedShare", in: 0...1, default: 0))
  }
}

extension Trace.Revocation: Decodable {
  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(decoder, CodingKeys.self)
    self.init(
      after: try reader.distribution("afterSeconds"),
      leadSeconds: try reader.number("leadSeconds", in: 0...Distribution.longest))
  }
}

extension Trace.Standstill: Decodable {
  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(decoder, CodingKeys.self)
    self.init(
      share: try reader.number("share", in: 0...1), length: try reader.distribution("seconds"),
      counts: try reader.optional("counts", "true or false") ?? true)
  }
}

extension Trace.Moves: Decodable {
  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(decoder, CodingKeys.self)
    self.init(
      share: try reader.number("share", in: 0...1),
      after: try reader.distribution("afterSeconds"), by: try reader.distribution("bySeconds"),
      laterShare: try reader.number("laterShare", in: 0...1, default: 0.5))
  }
}
