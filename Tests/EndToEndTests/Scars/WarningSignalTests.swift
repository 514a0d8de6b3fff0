import CStint
import Foundation
import Glibc
import Stint
import Testing

extension ByTheClock {
  /// An engine's signal may come half a minute early, late, or never.
  @Suite("Warnings at the wrong time")
  struct WarningSignalTests {
    private static let run = ["run", "fibonacci", "300000000", "--events", "e", "--output", "f"]

    /// A time of day so many whole seconds from now, as `--until` reads it, and its distance.
    private static func until(_ seconds: Int64) -> (text: String, distance: Duration) {
      let now = stint_wall_ns()
      let target = now / 1_000_000_000 + seconds
      let text = Date(timeIntervalSince1970: Double(target)).formatted(.iso8601)
      return (text, .nanoseconds(target * 1_000_000_000 - now))
    }

    @Test(
      "R20 a warning that comes more than 30 s before --budget and --until saves and ends at once")
    func early() async throws {
      for limit in [["--budget", "50s"], ["--until", Self.until(50).text]] {
        let scratch = try Scratch()
        let process = try scratch.start(Self.run + limit)
        try await process.wait(until: "some progress") {
          Journal(text: scratch.text("e")).lines.contains { $0.fraction ?? 0 > 0.02 }
        }
        process.send(SIGTERM)
        let ended = try await process.wait(atMost: .seconds(15))
        #expect(ended.end == .exited(75), "\(limit): \(ended.errors)")
        let journal = Journal(text: scratch.text("e"))
        let announced = journal.all("expiryAnnounced")
        #expect(announced.count == 1)
        // The grace, and not the budget, is what it has from then on.
        let given =
          (announced.first?.deadlineBootSeconds ?? 0) - (announced.first?.bootSeconds ?? 0)
        #expect(given > 0 && given <= 5.0, "\(given)")
        #expect(journal.newestCheckpoint >= 1)
      }
    }

    @Test("R20 a warning whose grace is longer than what is left does not move the deadline")
    func earlyAndStuck() async throws {
      let scratch = try Scratch()
      let path = scratch("deadline")
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let budget = Duration.milliseconds(800)
        let system = try InProcessSystem(
          policy: .commandLine.withBudget(budget, lead: .milliseconds(200)), termination: .terminate
        )
        let application = Application(system: system)
        application.launch()
        _ = application.beginBackgroundTask(withName: "stuck") {}
        try ByTheClock.OvershootTests.writeDeadline(budget, to: path)
        application.enterBackground()
        system.driver.requestStop(reason: .signal(SIGTERM), grace: .seconds(30))
        while true { pause() }
      }
      #expect(try OvershootTests.overshoot(scratch) < .seconds(3))
    }

    @Test("R20 a warning that never comes is not waited for: --budget and --until end the run")
    func never() async throws {
      // Large enough not to be done by then, and without a step that no such budget holds, which
      // would be refused.
      let run = [
        "run", "fibonacci", "\(200_000_000 * Yardstick.factor)", "--threads", "1", "--output", "f",
      ]
      for isUntil in [false, true] {
        let scratch = try Scratch()
        let (text, distance) = Self.until(4)
        let limit = isUntil ? distance : .milliseconds(2_800)
        let began = BootClock.now
        let process = try scratch.start(
          run + (isUntil ? ["--until", text] : ["--budget", "2800ms"]) + ["--lead", "600ms"])
        let ended = try await process.wait(atMost: .seconds(15))
        // By itself, and by its own clock: nothing was sent. Half a minute later a signal would
        // find nobody.
        #expect(ended.end == .exited(75), "\(ended.end) \(ended.errors)")
        #expect(began.duration(to: BootClock.now) < limit + .seconds(1))
        #expect(scratch.journal.newestCheckpoint >= 1, "\(ended.errors)")
      }
    }
  }
}
