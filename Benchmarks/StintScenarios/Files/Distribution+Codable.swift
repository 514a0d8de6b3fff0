import Foundation

/// What the numbers of a distribution are, which decides the names of its members.
package enum DistributionUnit: Sendable {
  case seconds
  /// A factor has no unit.
  case factor

  /// The name of a member.
  func name(_ stem: String) -> String {
    switch self {
    case .seconds: stem.isEmpty ? "seconds" : stem + "Seconds"
    case .factor: stem.isEmpty ? "value" : stem
    }
  }
}

extension Distribution: Codable, CodableWithConfiguration {
  /// The longest time of a scenario, and the greatest factor.
  static let longest = 1e6
  /// So many values a column may have.
  static let mostValues = 10_000
  /// So many parts a mixture may have.
  static let mostParts = 100

  package init(from decoder: any Decoder) throws {
    try self.init(from: decoder, configuration: .seconds)
  }

  package init(from decoder: any Decoder, configuration unit: DistributionUnit) throws {
    let name = unit.name
    let members: [String: [String]] = [
      "constant": [name("")], "uniform": [name("from"), name("to")],
      "logNormal": [name("mean"), "sigma", name("most")],
      "pareto": [name("mean"), "shape", name("most")],
      "exponential": [name("mean"), name("most")],
      "mixture": ["parts"], "csv": ["file", "column", "values"],
    ]
    let all = Set(members.values.joined()).sorted()
    let reader = try ObjectReader(decoder, allowed: ["kind"] + all)
    let times = 0...Self.longest
    let above = 1e-9...Self.longest
    let kind = try reader.text("kind")
    guard let known = members[kind] else {
      throw reader.refused(
        "kind",
        "is \"\(kind.prefix(40))\"; it must be one of \(members.keys.sorted().joined(separator: ", "))"
      )
    }
    _ = try ObjectReader(decoder, allowed: ["kind"] + known)
    let most = try reader.optionalNumber(name("most"), in: above) ?? .infinity
    switch kind {
    case "constant":
      self.init(.constant(try reader.number(name(""), in: times)))
    case "uniform":
      let from = try reader.number(name("from"), in: times)
      self.init(.uniform(from: from, to: try reader.number(name("to"), in: from...Self.longest)))
    case "logNormal":
      let mean = try reader.number(name("mean"), in: times)
      self.init(.logNormal(mean: mean, sigma: try reader.number("sigma", in: 0...3)), most: most)
    case "pareto":
      let mean = try reader.number(name("mean"), in: 1e-9...min(most, Self.longest))
      self.init(.pareto(mean: mean, shape: try reader.number("shape", in: 1.05...10)), most: most)
    case "mixture":
      self.init(.mixture(try Self.parts(reader, unit)))
    case "csv":
      self.init(.listed(try Self.listing(reader, decoder)))
    default:
      self.init(.exponential(mean: try reader.number(name("mean"), in: times)), most: most)
    }
  }

  private static func parts(_ reader: ObjectReader, _ unit: DistributionUnit) throws -> [Part] {
    let kind = "an array of 1 to \(mostParts) objects with weight and of"
    let parts: [Part] = try reader.value("parts", kind, unit)
    guard (1...mostParts).contains(parts.count) else {
      throw reader.refused("parts", "has \(parts.count) parts; it must be \(kind)")
    }
    return parts
  }

  /// The values of a column: those of the file beside the scenario, unless they are given.
  private static func listing(_ reader: ObjectReader, _ decoder: any Decoder) throws -> Listing {
    let file = try reader.text("file")
    let column = try reader.text("column")
    var values: [Double] = try reader.optional("values", "an array of numbers") ?? []
    if let folder = decoder.userInfo[.scenarioFolder] as? ScenarioFolder, values.isEmpty {
      guard ScenarioFolder.canHold(file) else {
        throw reader.refused("file", ScenarioFolder.rule)
      }
      values = try folder.table(file).numbers(of: column, in: 0...longest)
    }
    guard values.count <= mostValues else {
      throw reader.refused("file", "has \(values.count) values; the most is \(mostValues)")
    }
    guard values.allSatisfy({ (0...longest).contains($0) }) else {
      throw reader.refused("values", "must be numbers from 0 to \(longest.short)")
    }
    return Listing(file: file, column: column, values: values)
  }

  package func encode(to encoder: any Encoder) throws {
    try encode(to: encoder, configuration: .seconds)
  }

  package func encode(to encoder: any Encoder, configuration unit: DistributionUnit) throws {
    var object = encoder.container(keyedBy: MemberName.self)
    func put(_ kind: String, _ members: KeyValuePairs<String, Double>) throws {
      try object.encode(kind, forKey: MemberName("kind"))
      for (name, value) in members { try object.encode(value, forKey: MemberName(name)) }
      if most < .infinity { try object.encode(most, forKey: MemberName(unit.name("most"))) }
    }
    let name = unit.name
    switch shape {
    case .constant(let value): try put("constant", [name(""): value])
    case .uniform(let from, let to): try put("uniform", [name("from"): from, name("to"): to])
    case .logNormal(let mean, let sigma):
      try put("logNormal", [name("mean"): mean, "sigma": sigma])
    case .pareto(let mean, let shape): try put("pareto", [name("mean"): mean, "shape": shape])
    case .exponential(let mean): try put("exponential", [name("mean"): mean])
    case .mixture(let parts):
      try put("mixture", [:])
      try object.encode(parts, forKey: MemberName("parts"), configuration: unit)
    case .listed(let listing):
      try put("csv", [:])
      try object.encode(listing.file, forKey: MemberName("file"))
      try object.encode(listing.column, forKey: MemberName("column"))
      if !listing.values.isEmpty {
        try object.encode(listing.values, forKey: MemberName("values"))
      }
    }
  }
}

extension Distribution.Part: CodableWithConfiguration {
  package init(from decoder: any Decoder, configuration unit: DistributionUnit) throws {
    let reader = try ObjectReader(decoder, allowed: ["weight", "of"])
    let weight = try reader.number("weight", in: 1e-6...1e6)
    let distribution = try reader.distribution("of", unit)
    if case .mixture = distribution.shape {
      throw reader.refused("of", "is a mixture again; write its parts into the outer one")
    }
    self.init(weight: weight, distribution)
  }

  package func encode(to encoder: any Encoder, configuration unit: DistributionUnit) throws {
    var object = encoder.container(keyedBy: MemberName.self)
    try object.encode(weight, forKey: MemberName("weight"))
    try object.encode(distribution, forKey: MemberName("of"), configuration: unit)
  }
}
