import Foundation

extension Workload: Codable {
  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(
      decoder,
      allowed: [
        "chunk", "chunkDrift", "chunkPerTripFactor", "doublings", "checkpoint", "checkpointDrift",
        "checkpointPerTripFactor", "checkpointGrowthPerHour", "closingSeconds", "restartSeconds",
      ])
    self.init(
      chunk: try reader.distribution("chunk"), checkpoint: try reader.distribution("checkpoint"))
    guard chunk.mean > 0 || chunk.isUnread else {
      throw reader.refused("chunk", "has a mean of 0; it must be above 0 seconds")
    }
    chunkDrift = try reader.optional("chunkDrift", Drift.kind)
    checkpointDrift = try reader.optional("checkpointDrift", Drift.kind)
    chunkTripFactor = try reader.optionalFactor("chunkPerTripFactor")
    checkpointTripFactor = try reader.optionalFactor("checkpointPerTripFactor")
    checkpointGrowthPerHour = try reader.number(
      "checkpointGrowthPerHour", in: 0...1_000, default: 0)
    doublings = try reader.integer("doublings", in: 0...20, default: 0)
    closingSeconds = try reader.number("closingSeconds", in: 0...10, default: 0.001)
    restartSeconds = try reader.number("restartSeconds", in: 0...Distribution.longest, default: 0)
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: MemberName.self)
    try object.encode(chunk, forKey: MemberName("chunk"))
    try object.encodeIfPresent(chunkDrift, forKey: MemberName("chunkDrift"))
    try object.encodeIfPresent(
      chunkTripFactor, forKey: MemberName("chunkPerTripFactor"), configuration: .factor)
    try object.encode(doublings, forKey: MemberName("doublings"))
    try object.encode(checkpoint, forKey: MemberName("checkpoint"))
    try object.encodeIfPresent(checkpointDrift, forKey: MemberName("checkpointDrift"))
    try object.encodeIfPresent(
      checkpointTripFactor, forKey: MemberName("checkpointPerTripFactor"), configuration: .factor)
    try object.encode(checkpointGrowthPerHour, forKey: MemberName("checkpointGrowthPerHour"))
    try object.encode(closingSeconds, forKey: MemberName("closingSeconds"))
    try object.encode(restartSeconds, forKey: MemberName("restartSeconds"))
  }
}

extension Drift: Decodable {
  fileprivate static let kind = "an object with factor and overTrips"

  package init(from decoder: any Decoder) throws {
    let reader = try ObjectReader(decoder, CodingKeys.self)
    let factor = try reader.number("factor", in: Workload.leastFactor...100)
    guard reader.has("overTrips") else {
      throw reader.refused("overTrips", "is missing; it must be a whole number from 1 to 1000000")
    }
    self.init(
      factor: factor, overTrips: try reader.integer("overTrips", in: 1...1_000_000, default: 1))
  }
}
