import Dispatch
import Foundation
import Stint
import StintTesting
import Testing

@testable import BackgroundTasks

extension SharedPlace {
  @Suite("BackgroundTasks in virtual time")
  @MainActor
  struct BackgroundTasksTests {
    private let system = VirtualSystem(policy: .iOS7)
    private let begun = Protected<[BGTask]>([])
    /// Handlers are called on it, so that what stands behind them has happened after a `sync`.
    private let queue = DispatchQueue(label: "handlers")

    private func active() throws -> BGTaskScheduler {
      try system.becomeShared()
      system.launch()
      return BGTaskScheduler.shared
    }

    @discardableResult
    private func register(_ identifier: String) -> Bool {
      BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: queue) {
        [begun] task in
        begun.withLock { $0.append(task) }
      }
    }

    /// Launches, and submits a request for which there is a handler.
    @discardableResult
    private func submitted(_ request: BGTaskRequest) throws -> BGTaskScheduler {
      let scheduler = try active()
      register(request.identifier)
      try scheduler.submit(request)
      return scheduler
    }

    /// The identifiers of the requests that wait.
    private func waiting(_ scheduler: BGTaskScheduler) -> [String] {
      // Nothing is awaited: a test of another suite would take the shared place meanwhile.
      let pending = Protected<[String]>([])
      let isAnswered = DispatchSemaphore(value: 0)
      scheduler.getPendingTaskRequests { requests in
        pending.withLock { $0 = requests.map(\.identifier) }
        isAnswered.signal()
      }
      isAnswered.wait()
      return pending.withLock { $0 }
    }

    /// The tasks whose handlers have been called.
    private var tasks: [BGTask] {
      system.run()
      queue.sync {}
      return begun.withLock { $0 }
    }

    private func code(_ request: BGTaskRequest) -> BGTaskScheduler.Error.Code? {
      do {
        try BGTaskScheduler.shared.submit(request)
        return nil
      } catch {
        return (error as? BGTaskScheduler.Error)?.code
      }
    }

    @Test("a task is begun in the background, holds it, and lets go when it is completed")
    func refresh() throws {
      try submitted(BGAppRefreshTaskRequest(identifier: "refresh"))
      system.advance(by: .seconds(60))
      #expect(tasks.isEmpty, "not in the foreground")
      system.enterBackground()
      #expect(tasks.map(\.identifier) == ["refresh"])
      #expect(tasks.first is BGAppRefreshTask)
      #expect(system.openTasks.map(\.name) == ["refresh"])
      system.advance(by: .seconds(10))
      #expect(system.lifeState == .background)
      tasks.first?.setTaskCompleted(success: true)
      system.run()
      #expect(system.lifeState == .suspended)
      #expect(system.record.diagnostics.isEmpty)
    }

    @Test("before its earliest time a task is not begun; a suspended application is resumed for it")
    func earliest() throws {
      let request = BGProcessingTaskRequest(identifier: "later")
      request.earliestBeginDate = Date(timeIntervalSinceNow: 100)
      try submitted(request)
      system.enterBackground()
      system.advance(by: .seconds(90))
      #expect(system.lifeState == .suspended)
      #expect(tasks.isEmpty)
      system.advance(by: .seconds(11))
      #expect(tasks.map(\.identifier) == ["later"])
      #expect(system.lifeState == .background)
      tasks.first?.setTaskCompleted(success: true)
      system.run()
      #expect(system.lifeState == .suspended)
    }

    @Test("Q9 what is due after the trip's end gets a trip of its own")
    func ownTrip() throws {
      let request = BGProcessingTaskRequest(identifier: "late")
      request.earliestBeginDate = Date(timeIntervalSinceNow: 200)
      try submitted(request)
      system.enterBackground()
      system.advance(by: .seconds(201))
      #expect(tasks.map(\.identifier) == ["late"])
      #expect(system.lifeState == .background)
      system.advance(by: .seconds(200))
      #expect(system.lifeState == .background, "it has minutes")
      tasks.first?.setTaskCompleted(success: true)
      system.run()
      #expect(system.lifeState == .suspended)
      #expect(system.record.terminations.isEmpty)
    }

    @Test("at expiry the handler is called once, and completing a moment later is in time")
    func expiry() throws {
      try submitted(BGProcessingTaskRequest(identifier: "process"))
      system.enterBackground()
      let task = try #require(tasks.first)
      let calls = Protected(0)
      task.expirationHandler = { calls.withLock { $0 += 1 } }
      system.expire()
      #expect(calls.withLock { $0 } == 1)
      system.advance(by: .seconds(1))
      task.setTaskCompleted(success: false)
      system.run()
      #expect(system.lifeState == .suspended)
      #expect(system.record.terminations.isEmpty)
      #expect(calls.withLock { $0 } == 1)
    }

    @Test("Q4 completed twice, the diagnostic names the two places of the caller")
    func twice() throws {
      try submitted(BGAppRefreshTaskRequest(identifier: "refresh"))
      system.enterBackground()
      let task = try #require(tasks.first)
      let line = #line as UInt
      task.setTaskCompleted(success: true)
      task.setTaskCompleted(success: false)
      guard
        case .completedTwice("refresh", let first, let second)? = system.record.diagnostics.first
      else {
        Issue.record("\(system.record.diagnostics)")
        return
      }
      #expect([first.line, second.line] == [line + 1, line + 2])
      #expect(first.file.hasSuffix("BackgroundTasksTests.swift") && second.file == first.file)
      #expect(system.record.diagnostics.count == 1)
    }

    @Test("Q4 a task that is never completed ends the process once, with its name")
    func never() throws {
      try submitted(BGAppRefreshTaskRequest(identifier: "refresh"))
      system.enterBackground()
      let task = try #require(tasks.first)
      let calls = Protected(0)
      task.expirationHandler = { calls.withLock { $0 += 1 } }
      system.advance(by: .seconds(100))
      #expect(calls.withLock { $0 } == 1)
      #expect(system.record.terminations == [.neverCompleted(name: "refresh")])
      task.setTaskCompleted(success: true)
      system.run()
      #expect(system.record.diagnostics.count == 1, "only the report: \(system.record.diagnostics)")
    }

    @Test(
      "Q1 a second handler for an identifier is refused, with a diagnostic that names the place")
    func registeredTwice() throws {
      _ = try active()
      #expect(register("a") && !register("a"))
      let texts = system.record.diagnostics.map { "\($0)" }
      #expect(texts.count == 1)
      #expect(texts.first?.contains("\"a\"") == true)
      #expect(texts.first?.contains("BackgroundTasksTests.swift") == true)
    }

    @Test("Q1 registered after didFinishLaunching, a handler is taken, with a diagnostic")
    func registeredLate() throws {
      final class Delegate: ApplicationDelegate {}
      let application = try system.becomeShared()
      let delegate = Delegate()
      application.delegate = delegate
      system.launch()
      #expect(register("a"))
      #expect(
        system.record.diagnostics.map { "\($0)" }.first?.contains("after didFinishLaunching")
          == true)
      #expect(code(BGAppRefreshTaskRequest(identifier: "a")) == nil)
      system.enterBackground()
      #expect(tasks.count == 1)
      tasks.first?.setTaskCompleted(success: true)
    }

    @Test("Q2 an error of submit names the identifier and the reason")
    func reasons() throws {
      let scheduler = try active()
      func words(_ request: BGTaskRequest) -> String {
        do {
          try scheduler.submit(request)
          return ""
        } catch {
          return "\(error)"
        }
      }
      let unregistered = words(BGAppRefreshTaskRequest(identifier: "r"))
      #expect(unregistered.contains("no handler is registered for \"r\""))
      register("a")
      register("b")
      #expect(words(BGAppRefreshTaskRequest(identifier: "a")).isEmpty)
      let second = words(BGAppRefreshTaskRequest(identifier: "b"))
      #expect(
        second.contains("\"b\"") && second.contains("of the kind refresh no more than 1 may wait"))
      system.backgroundRefreshStatus = .denied
      #expect(words(BGAppRefreshTaskRequest(identifier: "a")).contains("denied"))
      scheduler.cancelAllTaskRequests()
    }

    @Test("an error is caught by its code, and is an NSError of BackgroundTasks")
    func errors() throws {
      let scheduler = try active()
      var caught = ""
      do {
        try scheduler.submit(BGAppRefreshTaskRequest(identifier: "nobody"))
      } catch BGTaskScheduler.Error.unavailable {
        caught = "unavailable"
      } catch BGTaskScheduler.Error.notPermitted {
        caught = "not permitted"
      }
      #expect(caught == "not permitted")
      let error = BGTaskScheduler.Error(.tooManyWaiting("r", .refresh, most: 1)) as NSError
      #expect(error.domain == "BGTaskSchedulerErrorDomain" && error.code == 2)
      #expect(error.localizedDescription.contains("\"r\""))
    }

    @Test("what waits is a copy: changed later, neither the request nor the copy counts")
    func copies() throws {
      let request = BGProcessingTaskRequest(identifier: "copy")
      request.requiresExternalPower = true
      let date = Date(timeIntervalSinceNow: 100)
      request.earliestBeginDate = date
      let scheduler = try submitted(request)
      request.earliestBeginDate = nil
      let pending = Protected<[Date?]>([])
      let isAnswered = DispatchSemaphore(value: 0)
      for _ in 0..<2 {
        scheduler.getPendingTaskRequests { requests in
          let isWhole = (requests.first as? BGProcessingTaskRequest)?.requiresExternalPower == true
          pending.withLock { $0.append(isWhole ? requests.first?.earliestBeginDate : nil) }
          requests.first?.earliestBeginDate = nil
          isAnswered.signal()
        }
        isAnswered.wait()
      }
      #expect(pending.withLock { $0 } == [date, date])
      scheduler.cancelAllTaskRequests()
    }

    @Test("Q4 a refresh has thirty seconds; without a handler it is completed where it is warned")
    func withoutHandler() throws {
      try submitted(BGAppRefreshTaskRequest(identifier: "refresh"))
      system.enterBackground()
      #expect(tasks.count == 1)
      system.advance(by: .milliseconds(24_999))
      #expect(system.openTasks.count == 1)
      system.advance(by: .milliseconds(1))
      #expect(system.openTasks.isEmpty)
      #expect(system.lifeState == .suspended)
    }

    @Test("a continued task is begun at once, in the foreground, with its progress")
    func continued() throws {
      try submitted(
        BGContinuedProcessingTaskRequest(identifier: "export", title: "Export", subtitle: "1 of 2"))
      let task = try #require(tasks.first as? BGContinuedProcessingTask)
      task.progress.totalUnitCount = 10
      task.progress.completedUnitCount = 1
      #expect(task.progress.fractionCompleted == 0.1)
      system.enterBackground()
      for unit in 2...9 as ClosedRange<Int64> {
        task.progress.completedUnitCount = unit
        system.advance(by: .seconds(20))
        #expect(system.openTasks.map(\.name) == ["export"], "while it moves, after \(unit)")
      }
      task.setTaskCompleted(success: true)
      system.run()
      #expect(system.openTasks.isEmpty)
    }

    @Test("Q5 a continued task that stands still in the background is warned, and ended")
    func standingStill() throws {
      try submitted(
        BGContinuedProcessingTaskRequest(identifier: "export", title: "Export", subtitle: ""))
      let task = try #require(tasks.first as? BGContinuedProcessingTask)
      let calls = Protected(0)
      task.expirationHandler = { calls.withLock { $0 += 1 } }
      task.progress.totalUnitCount = 10
      task.progress.completedUnitCount = 1
      system.advance(by: .seconds(300))
      #expect(calls.withLock { $0 } == 0, "not in the foreground")
      system.enterBackground()
      // It has 30 s from what it had done when the background was entered.
      system.advance(by: .seconds(60))
      #expect(calls.withLock { $0 } == 1)
      task.setTaskCompleted(success: false)
    }

    @Test("a continued task says anew what is done, and needs no resource that is not there")
    func continuedWords() throws {
      let request = BGContinuedProcessingTaskRequest(
        identifier: "export", title: "Export", subtitle: "1 of 2")
      #expect(request.strategy == .queue)
      request.requiredResources = .gpu
      _ = try active()
      register("export")
      #expect(code(request) == .notPermitted)
      request.requiredResources = BGTaskScheduler.supportedResources
      #expect(code(request) == nil)
      let task = try #require(tasks.first as? BGContinuedProcessingTask)
      #expect(task.title == "Export")
      task.updateTitle("Exports", subtitle: "2 of 2")
      #expect(task.title == "Exports")
      #expect(task.subtitle == "2 of 2")
      task.setTaskCompleted(success: true)
    }

    @Test("a continued task that cannot be begun fails, or waits, as its strategy says")
    func strategies() throws {
      let scheduler = try active()
      register("export")
      // The machine's policy has a most of tasks that may be open.
      let most = system.driver.policy.maximumTasks
      let held = (0..<most).map { _ in
        system.driver.begin(named: "held", origin: .unknown, handler: .none).grant.identifier
      }
      let request = BGContinuedProcessingTaskRequest(
        identifier: "export", title: "Export", subtitle: "")
      request.strategy = .fail
      #expect(code(request) == .immediateRunIneligible)
      request.strategy = .queue
      #expect(code(request) == nil)
      #expect(code(request) == nil, "it is replaced")
      #expect(tasks.isEmpty)
      #expect(waiting(scheduler) == ["export"])
      for identifier in held { system.driver.end(identifier, origin: .unknown) }
      system.enterBackground()
      #expect(tasks.map(\.identifier) == ["export"])
      #expect(waiting(scheduler).isEmpty)
      tasks.first?.setTaskCompleted(success: true)
    }

    @Test("a request is refused without a handler, beyond the most that may wait, or when denied")
    func refused() throws {
      let scheduler = try active()
      #expect(code(BGAppRefreshTaskRequest(identifier: "a")) == .notPermitted)
      #expect(register("a"))
      #expect(!register("a"), "once")
      #expect(code(BGAppRefreshTaskRequest(identifier: "a")) == nil)
      #expect(code(BGAppRefreshTaskRequest(identifier: "a")) == nil, "it is replaced")
      register("b")
      #expect(code(BGAppRefreshTaskRequest(identifier: "b")) == .tooManyPendingTaskRequests)
      for number in 0...10 {
        register("p\(number)")
        let expected: BGTaskScheduler.Error.Code? = number < 10 ? nil : .tooManyPendingTaskRequests
        #expect(code(BGProcessingTaskRequest(identifier: "p\(number)")) == expected)
      }
      scheduler.cancel(taskRequestWithIdentifier: "p3")
      #expect(waiting(scheduler) == ["a"] + [0, 1, 2, 4, 5, 6, 7, 8, 9].map { "p\($0)" })
      scheduler.cancelAllTaskRequests()
      system.backgroundRefreshStatus = .denied
      #expect(code(BGAppRefreshTaskRequest(identifier: "a")) == .unavailable)
      system.enterBackground()
      #expect(tasks.isEmpty)
    }
  }
}
