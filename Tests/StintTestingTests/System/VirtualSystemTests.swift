import Stint
import StintRuntime
import Testing

@testable import StintTesting

@Suite("The virtual system")
@MainActor
struct VirtualSystemTests {
  @Test("A9 180 s of budget pass in a handful of steps, whatever their length")
  func budget() throws {
    let system = VirtualSystem(policy: .iOS7, termination: .terminate)
    let application = Application(system: system)
    system.launch()
    let called = Protected<[Duration?]>([])
    let task = Protected(BackgroundTaskIdentifier.invalid)
    let identifier = application.beginBackgroundTask(withName: "work") {
      called.withLock { $0.append(application.remainingTime.duration) }
      application.endBackgroundTask(task.withLock { $0 })
    }
    task.withLock { $0 = identifier }
    system.enterBackground()
    let before = system.steps
    let began = ContinuousClock.now
    system.advance(by: .seconds(174))
    #expect(system.remainingTime == .limited(.seconds(6)))
    #expect(called.withLock { $0 } == [])
    system.advance(by: .seconds(10))
    let took = began.duration(to: .now)
    #expect(called.withLock { $0 } == [.seconds(5)])
    #expect(system.lifeState == .suspended)
    #expect(system.steps - before <= 6, "\(system.steps - before) steps")
    Attachment.record(
      "184 s of virtual time took \(took) and \(system.steps - before) steps", named: "budget")
  }

  @Test(
    "A23 a process that stands still past its deadline is killed by the kernel's timer, or on going on"
  )
  func standsStill() {
    for termination in [InProcessSystem.Termination.terminate, .report] {
      let system = VirtualSystem(policy: .iOS13, termination: termination)
      let application = Application(system: system)
      system.launch()
      _ = application.beginBackgroundTask(withName: "work") {}
      system.enterBackground()
      system.advance(by: .seconds(10))
      system.suspend()
      system.advance(by: .seconds(19))
      #expect(system.isAlive)
      #expect(system.remainingTime == .limited(.seconds(1)))
      system.advance(by: .seconds(5))
      #expect(system.isAlive == (termination == .report))
      system.resume()
      #expect(system.record.terminations.count == 1, "\(termination)")
    }
  }

  @Test("L3 an interruption never enters the background")
  func interruption() {
    let system = VirtualSystem()
    system.launch()
    system.interrupt(for: .seconds(2))
    #expect(system.lifeState == .active)
    #expect(!system.history.contains("background"))
    #expect(system.history.contains("the state is inactive"))
  }

  @Test("L6 a kill at this instant: what waits never happens, and nothing answers any more")
  func kill() {
    let system = VirtualSystem()
    let application = Application(system: system)
    system.launch()
    let called = Protected(0)
    _ = application.beginBackgroundTask(withName: "work") { called.withLock { $0 += 1 } }
    system.enterBackground()
    system.advance(by: .seconds(174))
    let history = system.history
    system.kill()
    system.advance(by: .seconds(100))
    system.enterForeground()
    #expect(!system.isAlive)
    #expect(called.withLock { $0 } == 0)
    #expect(system.record.terminations == [])
    #expect(system.history.hasPrefix(history))
    #expect(system.history.split(separator: "\n").last?.hasSuffix("the process is gone") == true)
  }

  @Test("A4 denied with the system's words, and granted again")
  func denial() {
    let system = VirtualSystem()
    let application = Application(system: system)
    system.launch()
    system.deny("no power")
    #expect(application.beginTask(named: "a", onExpiry: { _ in }) == .denied(.refused("no power")))
    #expect(application.beginBackgroundTask() == .invalid)
    system.deny(nil)
    #expect(application.beginBackgroundTask(withName: "b") {} != .invalid)
  }

  @Test("A4 an answer that the test gives comes when the test gives it")
  func lateAnswer() throws {
    let system = VirtualSystem(answers: .whenAnswered)
    let application = Application(system: system)
    system.launch()
    _ = application.beginBackgroundTask(withName: "work") {}
    let task = try #require(system.openTasks.first)
    #expect(task.state == .pending)
    system.answer(task.identifier, .granted)
    #expect(system.openTasks.first?.state == .granted)
  }

  @Test("L7 a launch for a fetch lasts until the fetch is completed, once")
  func fetch() throws {
    for result in VirtualFetch.Result.allCases {
      let system = VirtualSystem()
      let fetch = try #require(system.simulateFetch())
      system.advance(by: .seconds(20))
      #expect(system.lifeState == .background)
      fetch.complete(result)
      system.run()
      #expect(fetch.result == result)
      #expect(system.lifeState == .suspended)
      #expect(system.record.diagnostics == [])
      fetch.complete(.failed)
      #expect(fetch.result == result)
      #expect(system.record.diagnostics.count == 1, "called twice: one diagnostic")
      system.advance(by: .seconds(60))
      #expect(system.record.terminations == [])
    }
  }

  @Test("A14 a fetch that is not completed within 30 s costs the process its life")
  func fetchOverrun() {
    let system = VirtualSystem(termination: .terminate)
    let fetch = system.simulateFetch()
    system.advance(by: .seconds(29))
    #expect(system.isAlive)
    system.advance(by: .seconds(2))
    #expect(!system.isAlive)
    #expect(system.record.terminations == [.neverCompleted(name: "background fetch")])
    #expect(fetch != nil && fetch?.result == nil)
  }

  @Test("a task that is ended once nobody holds the system any more keeps nothing alive")
  func endedLate() {
    weak var driver: SystemDriver?
    let origin = TaskOrigin(function: #function, file: #fileID, line: #line)
    do {
      var system: VirtualSystem? = VirtualSystem(policy: .iOS7)
      system?.launch()
      let late = system?.driver
      driver = late
      let grant = late?.begin(named: "late", origin: origin, handler: .direct { _ in }).grant
      system?.requestStop(grace: .seconds(5))
      system = nil
      if case .granted(let task)? = grant { late?.end(task, origin: origin) }
    }
    #expect(driver == nil)
  }
}
