import StintScenarios

/// The report of a run on the real clock, with what others used meanwhile.
struct RealReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case others
  }

  var report: ScenarioReport
  var others: Disturbance?

  func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(others, forKey: .others)
  }
}
