import StintCommands
import StintCore
import StintRuntime
import Testing

@Suite("Time options")
struct TimeOptionsTests {
  func time(_ words: String...) throws -> TimeOptions {
    try CommandLine.run(["fibonacci", "1"] + words).time
  }

  @Test(
    "the lead is a quarter of the budget, at least 50 ms and at most 5 s",
    arguments: [("1s", 250), ("100ms", 50), ("20s", 5_000), ("600s", 5_000)])
  func defaultLead(budget: String, milliseconds: Int) throws {
    let policy = try time("--budget", budget).systemPolicy
    #expect(policy.lead == .milliseconds(milliseconds))
    #expect(try policy.grant == Duration(text: budget))
    #expect(throws: Never.self) { try policy.validate() }
    #expect(try time("--budget", budget, "--lead", "60ms").systemPolicy.lead == .milliseconds(60))
  }

  @Test("of --budget and --until the earlier end decides, and says so")
  func earlier() throws {
    // It is 06:00 in the zone of these tests.
    let options = try time("--budget", "30m", "--until", "07:00")
    #expect(try #require(options.grant()) == (.seconds(1800), .budget))
    #expect(try #require(options.grant(after: .seconds(3000))) == (.seconds(600), .until))
    #expect(try #require(options.grant(after: .seconds(9999))) == (.zero, .until))
    #expect(try #require(time("--until", "07:00").grant()) == (.seconds(3600), .until))
  }

  @Test("R13 a worker that is dying is waited for in half of the time that is left")
  func patience() throws {
    let short = try time("--budget", "6s")
    #expect(short.patience(after: .zero) == .seconds(3))
    #expect(short.patience(after: .seconds(2), offered: .seconds(9)) == .seconds(2))
    #expect(short.patience(after: .seconds(2), offered: .seconds(1)) == .milliseconds(500))
    #expect(short.patience(after: .seconds(7)) == .zero)
    #expect(try time("--budget", "10h").patience(after: .zero) == .seconds(10))
    #expect(try time("--until", "07:00").patience(after: .seconds(3595)) == .zero)
    #expect(try time().patience(after: .seconds(99)) == .seconds(10))
    #expect(try time().patience(after: .zero, offered: .seconds(-1)) == .zero)
  }

  @Test(
    "options that contradict each other are refused",
    arguments: [
      (["--budget", "1s", "--lead", "1s"], "--lead 1s is not shorter than --budget"),
      (["--budget", "2h", "--until", "07:00", "--lead", "1h"], "not shorter than --until"),
      (["--lead", "1s"], "give --budget too"),
      (["--rest", "1s", "--budget", "9s"], "needs --until-done"),
      (["--until-done"], "give it --budget or --policy"),
      (["--until-done", "--until", "07:00"], "give it --budget or --policy"),
    ])
  func contradictions(words: [String], part: String) {
    let error = CommandLine.refusal(["run", "fibonacci", "1"] + words)
    #expect(error?.code == .usage)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "accepted")")
  }

  @Test("a policy's grant and lead hold where no option says otherwise")
  func policies() throws {
    let plain = try time("--policy", "iOS13").systemPolicy
    #expect(plain == .iOS13)
    let shorter = try time("--policy", "ios13", "--budget", "8s").systemPolicy
    #expect(shorter.grant == .seconds(8) && shorter.lead == .seconds(2))
    #expect(shorter.terminationPoint == SystemPolicy.iOS13.terminationPoint)
    let warned = try time("--policy", "ios13", "--lead", "9s").systemPolicy
    #expect(warned.grant == .seconds(30) && warned.lead == .seconds(9))
    #expect(try time().systemPolicy == .commandLine)
    #expect(try #require(time("--policy", "ios6").grant()) == (.seconds(600), .policy))
    #expect(try time("--policy", "ios6", "--until-done").untilDone)
    #expect(
      CommandLine.refusal(["run", "fibonacci", "1", "--policy", "ios13", "--lead", "30s"]) != nil)
    #expect(
      CommandLine.refusal(["run", "fibonacci", "1", "--policy", "unlimited", "--until-done"]) != nil
    )
  }
}
