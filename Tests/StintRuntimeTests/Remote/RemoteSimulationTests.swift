import Testing

@Suite("Lives of a child and its supervisor")
@MainActor
struct RemoteSimulationTests {
  @Test(
    "A5 A12 A14 whatever the order, each handler is called once at most and nothing outlives its deadline"
  )
  func lives() {
    for seed in UInt64(1)...400 {
      var simulation = RemoteSimulation(seed: seed)
      let faults = simulation.run()
      #expect(faults == [], "seed \(seed)")
      if !faults.isEmpty { break }
    }
  }

  @Test(
    "a conversation that loses lines is found",
    arguments: ["\"type\":\"end\"", "\"type\":\"granted\"", "didEnterBackground"])
  func planted(part: String) {
    let found = (UInt64(1)...50).contains { seed in
      var simulation = RemoteSimulation(seed: seed) { $0.contains(part) }
      return !simulation.run().isEmpty
    }
    #expect(found)
  }
}
