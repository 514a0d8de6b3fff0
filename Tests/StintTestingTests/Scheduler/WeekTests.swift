import Foundation
import StintCore
import Testing

@testable import Stint
@testable import StintTesting

/// A week of an application in virtual time: 200 requests, conditions that come and go, a person
/// who uses it twice a day, and fetches.
@Suite("A virtual week")
@MainActor
struct WeekTests {
  private static let hour = Duration.seconds(3_600)
  /// The hours of the day (UTC) in which the person uses the application.
  private static let hoursOfUse = [8, 18]

  private final class Delegate: ApplicationDelegate {
    var fetches: [WallInstant] = []
    let system: VirtualSystem

    init(_ system: VirtualSystem) { self.system = system }

    func application(
      _ application: Application,
      performFetchWithCompletionHandler completionHandler:
        @escaping @Sendable (BackgroundFetchResult) -> Void
    ) {
      fetches.append(system.wallTime)
      completionHandler(fetches.count % 3 == 0 ? .newData : .noData)
    }
  }

  /// What happened to the requests.
  private struct Record: Sendable {
    var begun: [String: Int] = [:]
    var ended: [String: Int] = [:]
    var lost: [String: ExpiryReason] = [:]
  }

  /// The week from its seed.
  @MainActor
  private final class Week {
    let system: VirtualSystem
    let application: Application
    let delegate: Delegate
    let record = Protected(Record())
    var random: SeededGenerator
    /// The requests, each with the hour of the week in which it is submitted.
    var requests: [(hour: Int, request: TaskRequest)] = []
    var submitted: [TaskRequest] = []
    var unexplained: [String] = []
    var waits: Set<String> = []

    init(seed: UInt64) throws {
      var policy = SystemPolicy.iOS13
      policy.mostWaitingRefreshes = nil
      policy.mostWaitingProcessing = nil
      system = VirtualSystem(policy: policy, termination: .terminate)
      // A Monday at midnight.
      let start = system.wallTime
      let since = start.nanoseconds % 3_600_000_000_000
      let hours = UsageHistory.hoursOfWeek - UsageHistory.hourOfWeek(of: start)
      system.advance(by: hour * hours - .nanoseconds(since))
      application = Application(system: system)
      delegate = Delegate(system)
      application.delegate = delegate
      random = SeededGenerator(seed: seed)
      for number in 0..<200 {
        let kind: ScheduledTaskKind = random.chance(0.5) ? .refresh : .processing
        var request = TaskRequest("request \(number)", kind: kind)
        for requirement in TaskRequirement.allCases where random.chance(0.4) {
          request.requirements.insert(requirement)
        }
        if random.chance(0.3) { request.mostLoad = 0.5 }
        if random.chance(0.2) { request.leastDisk = 1_000 }
        requests.append((Int.random(in: 0..<UsageHistory.hoursOfWeek, using: &random), request))
        try register(request)
      }
    }

    private func register(_ request: TaskRequest) throws {
      let seconds = Int.random(in: 1...24, using: &random) * (request.kind == .refresh ? 1 : 10)
      let (record, clock, environment) = (record, system.clock, system.driver.environment)
      try system.taskScheduler.register(request.identifier) { task in
        record.withLock { $0.begun[task.identifier, default: 0] += 1 }
        task.expirationHandler = { reason in
          record.withLock { $0.lost[task.identifier] = reason }
          task.complete(success: false)
        }
        environment.schedule(at: clock.now.advanced(by: .seconds(seconds))) {
          guard !task.isCompleted else { return }
          record.withLock { $0.ended[task.identifier, default: 0] += 1 }
          task.complete(success: true)
        }
      }
    }

    /// Lives through an hour, in quarters.
    func live(_ hour: Int) throws {
      let end = system.clock.now.advanced(by: WeekTests.hour)
      if WeekTests.hoursOfUse.contains(hour % 24) {
        system.enterForeground()
        system.advance(by: .seconds(600))
        system.enterBackground()
      }
      for index in requests.indices where requests[index].hour == hour {
        var request = requests[index].request
        if random.chance(0.7) {
          let ahead = Int.random(in: 0..<40_000, using: &random)
          request.earliestBegin = system.wallTime.advanced(by: .seconds(ahead))
        }
        try system.taskScheduler.submit(request)
        submitted.append(request)
      }
      for quarter in 1...4 {
        change()
        explain()
        system.advance(
          by: min(.seconds(900), max(.zero, system.clock.now.duration(to: end)) / (5 - quarter)))
      }
      system.advance(by: max(.zero, system.clock.now.duration(to: end)))
    }

    private func change() {
      var conditions = MachineConditions()
      conditions.hasNetwork = random.chance(0.6)
      conditions.hasExternalPower = random.chance(0.5)
      conditions.load = random.chance(0.3) ? 2 : 0.1
      conditions.freeDisk = random.chance(0.2) ? 1 : 1 << 40
      system.conditions = conditions
    }

    /// Each request that waits says why, in one sentence with its name.
    private func explain() {
      for request in system.taskScheduler.pending {
        let why = system.taskScheduler.why(request.identifier)
        let isSentence = why.hasPrefix("\"\(request.identifier)\" waits: ") && why.hasSuffix(".")
        if !isSentence { unexplained.append(why) }
        let reason = why.dropFirst(request.identifier.count + 10)
        waits.insert(String(reason.prefix { $0.isLetter || $0 == " " }))
      }
    }

    /// Everything is there, until nothing waits.
    func finish() {
      system.conditions = MachineConditions()
      system.advance(by: .seconds(100_000))
    }
  }

  private func play(seed: UInt64, weeks: Int = 1) throws -> Week {
    let week = try Week(seed: seed)
    week.system.launchIntoBackground()
    week.application.taskScheduler.fetchInterval = .minimum
    for hour in 0..<UsageHistory.hoursOfWeek * weeks { try week.live(hour) }
    week.finish()
    return week
  }

  @Test(
    "Q2 Q3 Q7 Q9 200 requests in a week: each runs once, and each wait is explained",
    arguments: 1...3)
  func week(seed: UInt64) throws {
    let week = try play(seed: seed)
    #expect(week.system.isAlive && week.system.record.terminations.isEmpty)
    #expect(week.system.record.diagnostics.isEmpty, "\(week.system.record.diagnostics)")
    let record = week.record.withLock { $0 }
    let names = Set(week.requests.map(\.request.identifier))
    #expect(week.submitted.count == 200)
    #expect(Set(record.begun.keys) == names && record.begun.values.allSatisfy { $0 == 1 })
    // Completed, or expired for a reason that is known.
    let ends = Set(record.ended.keys).union(record.lost.keys)
    #expect(ends == names && record.ended.values.allSatisfy { $0 == 1 })
    #expect(Set(record.ended.keys).isDisjoint(with: record.lost.keys))
    let wants = Dictionary(
      uniqueKeysWithValues: week.submitted.map { ($0.identifier, $0.requirements) })
    for (name, reason) in record.lost {
      guard case .requirementLost(let requirement) = reason else {
        Issue.record("\(name) was expired: \(reason)")
        continue
      }
      #expect(wants[name]?.contains(requirement) == true)
    }
    #expect(week.unexplained.isEmpty, "\(week.unexplained.prefix(3))")
    #expect(week.waits.count >= 5, "\(week.waits)")
    #expect(week.system.taskScheduler.pending.isEmpty && week.system.openTasks.isEmpty)
  }

  @Test("B3 the hours of use are learnt, and the plot in the documentation shows them")
  func plot() throws {
    let week = try play(seed: 4, weeks: 3)
    let usage = week.system.taskScheduler.usage
    let likely = (0..<UsageHistory.hoursOfWeek).filter { hour in
      usage.hours[hour] >= 2 * usage.hours.reduce(0, +) / Double(UsageHistory.hoursOfWeek)
    }
    #expect(Set(likely.map { $0 % 24 }) == Set(Self.hoursOfUse))
    let file = try #require(Self.document)
    let picture = Self.picture(of: usage, fetches: week.delegate.fetches)
    if ProcessInfo.processInfo.environment["STINT_WRITE_TABLES"] != nil {
      try picture.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == picture)
  }

  private static var document: URL? {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/machines/hours-of-use.svg")
  }

  /// A square for each hour of the week, the darker the more it was used, with the number of
  /// fetches that began in it.
  private static func picture(of usage: UsageHistory, fetches: [WallInstant]) -> String {
    var counts = Array(repeating: 0, count: UsageHistory.hoursOfWeek)
    for fetch in fetches { counts[UsageHistory.hourOfWeek(of: fetch)] += 1 }
    let most = usage.hours.max() ?? 1
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 204" font-family="sans-serif" \
      font-size="10" role="img" aria-label="Hours of use and fetches">
      """,
      "<rect width=\"560\" height=\"204\" fill=\"#fff\"/>",
      "<text x=\"44\" y=\"14\">Learnt hours of use (blue), and how many fetches began in each "
        + "(three weeks, UTC)</text>",
    ]
    for hour in 0..<24 where hour % 2 == 0 {
      lines.append("<text x=\"\(54 + hour * 21)\" y=\"32\" text-anchor=\"middle\">\(hour)</text>")
    }
    for (index, count) in counts.enumerated() {
      let (x, y) = (44 + index % 24 * 21, 38 + index / 24 * 23)
      if index % 24 == 0 {
        lines.append("<text x=\"8\" y=\"\(y + 14)\">\(days[index / 24])</text>")
      }
      let opacity = Int((usage.hours[index] / most * 100).rounded())
      lines.append(
        "<rect x=\"\(x)\" y=\"\(y)\" width=\"20\" height=\"22\" fill=\"#1f6feb\" "
          + "fill-opacity=\"\(opacity)%\" stroke=\"#ccc\"/>"
          + "<text x=\"\(x + 10)\" y=\"\(y + 15)\" text-anchor=\"middle\">\(count)</text>")
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }
}
