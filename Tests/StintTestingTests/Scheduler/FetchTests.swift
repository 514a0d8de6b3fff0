import Foundation
import StintTesting
import Testing
import UIKit

@testable import Stint

extension SharedPlace {
  @Suite("Background fetch in virtual time")
  @MainActor
  struct FetchTests {
    /// Fetches, and completes as a test says.
    final class Delegate: NSObject, UIApplicationDelegate {
      var fetches: [Instant] = []
      var completions: [@Sendable (UIBackgroundFetchResult) -> Void] = []
      /// What each fetch completes with at once; nil leaves it to the test.
      var result: UIBackgroundFetchResult?
      let clock: VirtualClock

      init(_ clock: VirtualClock) { self.clock = clock }

      func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
          @escaping @Sendable (UIBackgroundFetchResult) -> Void
      ) {
        fetches.append(clock.now)
        if let result { return completionHandler(result) }
        completions.append(completionHandler)
      }
    }

    private let system = VirtualSystem(policy: .iOS13)
    private let delegate: Delegate

    init() throws {
      delegate = Delegate(system.clock)
      try system.becomeShared().delegate = delegate
    }

    private func start(_ interval: TimeInterval) {
      system.launch()
      UIApplication.shared.setMinimumBackgroundFetchInterval(interval)
      delegate.result = .newData
    }

    @Test("B1 without an interval, or with never, no fetch begins")
    func never() {
      system.launch()
      delegate.result = .newData
      system.enterBackground()
      system.advance(by: .seconds(86_400))
      #expect(delegate.fetches.isEmpty)
      #expect(UIApplication.shared.taskScheduler.fetchInterval == .never)
      UIApplication.shared.setMinimumBackgroundFetchInterval(
        UIApplication.backgroundFetchIntervalMinimum)
      system.advance(by: .seconds(4_000))
      let count = delegate.fetches.count
      #expect(count >= 1)
      UIApplication.shared.setMinimumBackgroundFetchInterval(
        UIApplication.backgroundFetchIntervalNever)
      system.advance(by: .seconds(86_400))
      #expect(delegate.fetches.count == count)
    }

    @Test("B1 a number of seconds is a lower bound that the system keeps")
    func lowerBound() {
      start(600)
      system.enterBackground()
      system.advance(by: .seconds(20_000))
      let distances = zip(delegate.fetches, delegate.fetches.dropFirst()).map {
        $0.duration(to: $1)
      }
      #expect(delegate.fetches.count > 10)
      #expect(distances.allSatisfy { $0 >= .seconds(600) })
      #expect(system.lifeState == .suspended)
    }

    @Test("B2 a fetch has its own thirty seconds, whatever is left of an earlier trip")
    func ownTime() {
      system.launch()
      system.enterBackground()
      system.advance(by: .seconds(900))
      #expect(system.lifeState == .suspended)
      system.simulateFetch()
      #expect(system.remainingTime == .limited(.seconds(30)))
      system.advance(by: .seconds(29))
      delegate.completions.first?(.newData)
      system.run()
      #expect(system.lifeState == .suspended && system.record.terminations.isEmpty)
    }

    @Test("B2 never completed, the process is terminated once, with the fetch as the cause")
    func neverCompleted() {
      system.launch()
      system.enterBackground()
      system.simulateFetch()
      system.advance(by: .seconds(300))
      #expect(system.record.terminations == [.neverCompleted(name: "background fetch")])
      #expect(system.record.diagnostics.count == 1, "\(system.record.diagnostics)")
    }

    @Test("B2 completed twice, one diagnostic names the two places of the caller")
    func twice() throws {
      system.launch()
      system.simulateFetch()
      let complete = try #require(delegate.completions.first)
      let line = #line as UInt
      complete(.newData)
      complete(.failed)
      guard
        case .completedTwice("background fetch", let first, let second)? =
          system.record.diagnostics.first
      else {
        Issue.record("\(system.record.diagnostics)")
        return
      }
      #expect([first.line, second.line] == [line + 1, line + 2])
      #expect(first.file.hasSuffix("FetchTests.swift") && first.function.contains("twice"))
      #expect(system.record.diagnostics.count == 1)
    }

    @Test("B2 concurrent fetches each have their own completion and their own time")
    func concurrent() throws {
      system.launch()
      let first = system.simulateFetch()
      system.advance(by: .seconds(20))
      let second = system.simulateFetch()
      #expect(delegate.completions.count == 2)
      #expect(system.remainingTime == .limited(.seconds(30)))
      delegate.completions.last?(.noData)
      #expect(first?.result == nil && second?.result == .noData)
      system.advance(by: .seconds(9))
      delegate.completions.first?(.failed)
      system.run()
      #expect(first?.result == .failed)
      #expect(system.lifeState == .suspended && system.record.terminations.isEmpty)
    }

    @Test("B2 the form without a completion handler returns each result")
    func asyncForm() async {
      final class AsyncDelegate: UIApplicationDelegate {
        var result = UIBackgroundFetchResult.noData
        func applicationPerformFetch(
          _ application: UIApplication
        ) async -> UIBackgroundFetchResult { result }
      }
      let delegate = AsyncDelegate()
      UIApplication.shared.delegate = delegate
      system.launch()
      for result in UIBackgroundFetchResult.allCases {
        delegate.result = result
        let fetch = system.simulateFetch()
        while fetch?.result == nil { await Task.yield() }
        #expect(fetch?.result == result)
      }
      withExtendedLifetime(delegate) {}
    }

    @Test("B3 long, failing and fruitless fetches are given fewer opportunities")
    func fewer() {
      func count(_ result: UIBackgroundFetchResult) -> Int {
        let before = delegate.fetches.count
        delegate.result = result
        system.advance(by: .seconds(86_400))
        return delegate.fetches.count - before
      }
      start(UIApplication.backgroundFetchIntervalMinimum)
      system.enterBackground()
      let good = count(.newData)
      let fruitless = count(.noData)
      let recovered = count(.newData)
      let failing = count(.failed)
      #expect(fruitless * 3 < good && failing * 3 < good)
      #expect(recovered > fruitless * 2)
    }

    @Test("B3 hours of use pull fetches forward; the same life gives the same fetches")
    func learning() {
      func hours() -> [Int] {
        let system = VirtualSystem(policy: .iOS13)
        let delegate = Delegate(system.clock)
        let application = Application(system: system)
        application.delegate = delegate
        delegate.result = .noData
        system.launch()
        application.setMinimumBackgroundFetchInterval(0)
        var counts = Array(repeating: 0, count: 24)
        for day in 0..<21 {
          for hour in 0..<24 {
            if hour == 8 || hour == 18 { system.enterForeground() }
            system.enterBackground()
            let before = delegate.fetches.count
            system.advance(by: .seconds(3_600))
            if day >= 7 { counts[hour] += delegate.fetches.count - before }
          }
        }
        withExtendedLifetime(application) {}
        return counts
      }
      let counts = hours()
      let used = counts[8] + counts[18]
      #expect(used > 0)
      let others = counts.reduce(0, +) - used
      // Two hours of 24.
      #expect(Double(used) / 2 > 2 * Double(others) / 22, "\(counts)")
      #expect(counts == hours())
    }

    @Test("B4 a fetch begins in the background, from the foreground, suspended, and as a launch")
    func simulated() {
      delegate.result = .newData
      #expect(system.simulateFetch()?.result == .newData, "as a launch")
      #expect(system.lifeState == .suspended)
      #expect(system.simulateFetch()?.result == .newData, "suspended")
      system.enterForeground()
      #expect(system.simulateFetch()?.result == .newData)
      #expect(system.lifeState == .suspended, "from the foreground it went to the background")
      #expect(delegate.fetches.count == 3)
    }

    @Test("L11 denied by the user, no fetch begins by itself")
    func denied() {
      start(60)
      system.backgroundRefreshStatus = .denied
      system.enterBackground()
      system.advance(by: .seconds(7_200))
      #expect(delegate.fetches.isEmpty)
      system.backgroundRefreshStatus = .available
      system.advance(by: .seconds(7_200))
      #expect(!delegate.fetches.isEmpty)
    }
  }
}
