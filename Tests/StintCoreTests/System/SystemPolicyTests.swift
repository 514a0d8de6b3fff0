import StintCore
import Testing

@Suite("System policy")
struct SystemPolicyTests {
  @Test("presets have their documented numbers")
  func presets() {
    let rows = SystemPolicy.presets.map { ($0.name, $0.grant, $0.lead) }
    #expect(rows.map(\.0) == ["ios6", "ios7", "ios13", "harmonyos", "command-line", "unlimited"])
    #expect(rows.map(\.1) == [.seconds(600), .seconds(180), .seconds(30), .seconds(180), nil, nil])
    #expect(rows.map(\.2).prefix(4) == [.seconds(5), .seconds(5), .seconds(5), .seconds(6)])
    #expect(SystemPolicy.harmonyOS.maximumTasks == 3)
    #expect(SystemPolicy.iOS13.terminationPoint == .handlersReturn)
    #expect(SystemPolicy.presets.allSatisfy { $0.restoreAttempts == 3 })
  }

  @Test("a preset is found by its name, whatever its capitals")
  func lookup() {
    #expect(SystemPolicy.named("iOS13") == .iOS13)
    #expect(SystemPolicy.named("commandline") == .commandLine)
    #expect(SystemPolicy.named("ios99") == nil)
    #expect(SystemPolicy.named("") == nil)
  }

  @Test("a budget brings its lead: a quarter, at least 50 ms, at most 5 s")
  func leads() {
    let leads = [Duration.milliseconds(100), .seconds(1), .seconds(100)].map {
      SystemPolicy.commandLine.withBudget($0).lead
    }
    #expect(leads == [.milliseconds(50), .milliseconds(250), .seconds(5)])
  }

  @Test(
    "R14 numbers that cannot be kept together are refused",
    arguments: [
      SystemPolicy.commandLine.withBudget(.zero), .commandLine.withBudget(.nanoseconds(1)),
      .commandLine.withBudget(.seconds(1), lead: .seconds(1)),
      .commandLine.withBudget(.seconds(1), lead: .zero),
    ])
  func refused(policy: SystemPolicy) {
    #expect(throws: StintError.self) { try policy.validate() }
  }

  @Test("R14 presets and long budgets are accepted")
  func accepted() throws {
    for preset in SystemPolicy.presets { #expect(throws: Never.self) { try preset.validate() } }
    #expect(throws: Never.self) {
      try SystemPolicy.commandLine.withBudget(.seconds(3_155_760_000)).validate()
    }
  }
}
