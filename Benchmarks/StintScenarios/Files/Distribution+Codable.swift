extension Distribution: Codable {
  /// The longest time of a scenario.
  static let longest = 1e6

  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(
      decoder,
      allowed: [
        "kind", "seconds", "fromSeconds", "toSeconds", "meanSeconds", "sigma", "shape",
        "mostSeconds",
      ])
    let times = 0...Self.longest
    let above = 1e-9...Self.longest
    let kind = try reader.text("kind")
    let members: [String: [String]] = [
      "constant": ["seconds"], "uniform": ["fromSeconds", "toSeconds"],
      "logNormal": ["meanSeconds", "sigma", "mostSeconds"],
      "pareto": ["meanSeconds", "shape", "mostSeconds"],
      "exponential": ["meanSeconds", "mostSeconds"],
    ]
    guard let known = members[kind] else {
      throw reader.refused(
        "kind",
        "is \"\(kind.prefix(40))\"; it must be one of \(members.keys.sorted().joined(separator: ", "))"
      )
    }
    _ = try ObjectReader(decoder, allowed: ["kind"] + known)
    let most = reader.has("mostSeconds") ? try reader.number("mostSeconds", in: above) : .infinity
    switch kind {
    case "constant":
      self.init(.constant(try reader.number("seconds", in: times)))
    case "uniform":
      let from = try reader.number("fromSeconds", in: times)
      self.init(.uniform(from: from, to: try reader.number("toSeconds", in: from...Self.longest)))
    case "logNormal":
      let mean = try reader.number("meanSeconds", in: times)
      self.init(.logNormal(mean: mean, sigma: try reader.number("sigma", in: 0...3)), most: most)
    case "pareto":
      let mean = try reader.number("meanSeconds", in: 1e-9...min(most, Self.longest))
      self.init(.pareto(mean: mean, shape: try reader.number("shape", in: 1.05...10)), most: most)
    default:
      self.init(.exponential(mean: try reader.number("meanSeconds", in: times)), most: most)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: MemberName.self)
    func put(_ kind: String, _ members: KeyValuePairs<String, Double>) throws {
      try object.encode(kind, forKey: MemberName("kind"))
      for (name, value) in members { try object.encode(value, forKey: MemberName(name)) }
      if most < .infinity { try object.encode(most, forKey: MemberName("mostSeconds")) }
    }
    switch shape {
    case .constant(let seconds): try put("constant", ["seconds": seconds])
    case .uniform(let from, let to): try put("uniform", ["fromSeconds": from, "toSeconds": to])
    case .logNormal(let mean, let sigma):
      try put("logNormal", ["meanSeconds": mean, "sigma": sigma])
    case .pareto(let mean, let shape): try put("pareto", ["meanSeconds": mean, "shape": shape])
    case .exponential(let mean): try put("exponential", ["meanSeconds": mean])
    }
  }
}
