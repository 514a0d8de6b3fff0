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

    @Test("where too little of a trip is left, the next one begins the task")
    func nextTrip() throws {
      let request = BGProcessingTaskRequest(identifier: "late")
      request.earliestBeginDate = Date(timeIntervalSinceNow: 200)
      try submitted(request)
      system.enterBackground()
      system.advance(by: .seconds(300))
      #expect(tasks.isEmpty)
      system.enterForeground()
      system.enterBackground()
      #expect(tasks.map(\.identifier) == ["late"])
      tasks.first?.setTaskCompleted(success: true)
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

    @Test("a task that is completed while it is being begun is ended once it is known")
    func heldEarly() {
      let ended = Protected<[BackgroundTaskIdentifier]>([])
      let identifiers = [1, 2].map { BackgroundTaskIdentifier(rawValue: $0) }
      let early = BGTask("early") { identifier in ended.withLock { $0.append(identifier) } }
      #expect(early.isOpen)
      early.setTaskCompleted(success: true)
      #expect(!early.isOpen && ended.withLock { $0 } == [])
      early.begun(identifiers[0])
      #expect(ended.withLock { $0 } == [identifiers[0]])
      let later = BGTask("later") { identifier in ended.withLock { $0.append(identifier) } }
      later.begun(identifiers[1])
      #expect(later.isOpen)
      later.setTaskCompleted(success: true)
      later.setTaskCompleted(success: true)
      #expect(ended.withLock { $0 } == identifiers)
    }

    @Test("a task whose time is up before its handler is called waits for the next trip")
    func expiredEarly() throws {
      try submitted(BGProcessingTaskRequest(identifier: "early"))
      // The queue is held back until the time is up.
      let gate = DispatchSemaphore(value: 0)
      queue.async { gate.wait() }
      system.enterBackground()
      #expect(system.openTasks.map(\.name) == ["early"])
      system.expire()
      #expect(system.openTasks.isEmpty)
      gate.signal()
      #expect(tasks.isEmpty)
      system.enterForeground()
      system.enterBackground()
      #expect(tasks.map(\.identifier) == ["early"])
      tasks.first?.setTaskCompleted(success: true)
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
      let error = BGTaskScheduler.Error(code: .tooManyPendingTaskRequests) as NSError
      #expect(error.domain == "BGTaskSchedulerErrorDomain" && error.code == 2)
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

    @Test("a refresh has thirty seconds, and without a handler it is completed then")
    func withoutHandler() throws {
      try submitted(BGAppRefreshTaskRequest(identifier: "refresh"))
      system.enterBackground()
      #expect(tasks.count == 1)
      system.advance(by: .milliseconds(29_999))
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
      task.progress.totalUnitCount = 2
      task.progress.completedUnitCount = 1
      #expect(task.progress.fractionCompleted == 0.5)
      system.enterBackground()
      system.advance(by: .seconds(60))
      #expect(system.openTasks.map(\.name) == ["export"])
      task.setTaskCompleted(success: true)
      system.run()
      #expect(system.openTasks.isEmpty)
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
