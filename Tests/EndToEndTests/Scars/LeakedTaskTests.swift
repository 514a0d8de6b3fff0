import Foundation
import Glibc
import Stint
import Testing

@Suite("A task never ended")
struct LeakedTaskTests {
  @Test(
    "R6 A14 a task never ended is reported with name, age and place, and costs the process its life"
  )
  func neverEnded() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL), observing: [\.standardErrorContent]
    ) {
      let system = try InProcessSystem(
        policy: .commandLine.withBudget(.milliseconds(1_500), lead: .seconds(1)),
        termination: .terminate)
      let application = Application(system: system)
      application.launch()
      _ = application.beginBackgroundTask(withName: "upload") {}
      _ = application.beginBackgroundTask(withName: "mute", expirationHandler: nil)
      application.enterBackground()
      // Serves the main queue, on which the handler returns; the fuse is far behind the deadline.
      alarm(60)
      try await Task.sleep(for: .seconds(120))
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    // Without a handler it can never be warned, so that it is told of at its beginning.
    #expect(
      said.contains(
        /The task "mute" was begun without .*\(EndToEndTests\/LeakedTaskTests\.swift:\d+\)/))
    try Self.expectReport(of: "upload", in: said)
  }

  private static func expectReport(of name: String, in said: String) throws {
    let report = try #require(
      said.firstMatch(
        of:
          /The task "(\w+)" is still open (\S+) after it was begun at .*\(EndToEndTests\/LeakedTaskTests\.swift:\d+\)/
      ), "\(said)")
    #expect(report.1 == name[...])
    // At the earliest when its handler was called: the budget without the lead.
    let age = try Duration(text: String(report.2))
    #expect(age >= .milliseconds(500), "\(said)")
  }
}
