import Dispatch
import Stint
import StintTesting
import Testing

@Suite("Periodic observers")
@MainActor
struct PeriodicObserverTests {
  private let system = VirtualSystem(policy: .iOS13)
  private let application: Application
  private let calls = Protected<[Instant]>([])

  init() {
    application = Application(system: system)
    system.launch()
  }

  private func observe(every period: Duration = .milliseconds(10)) -> PeriodicObserver {
    application.addPeriodicObserver(every: period) { [calls, clock = system.clock] in
      calls.withLock { $0.append(clock.now) }
    }
  }

  private var count: Int { calls.withLock { $0.count } }

  @Test("B5 it is called in every state but suspended, and no burst follows")
  func states() {
    _ = observe()
    system.advance(by: .seconds(1))
    #expect(count == 100)
    system.enterBackground()
    // The grace without a task.
    system.advance(by: .seconds(4))
    #expect(count == 500)
    system.advance(by: .seconds(60))
    #expect(system.lifeState == .suspended)
    let before = count
    #expect(before <= 601)
    system.enterForeground()
    #expect(count == before, "nothing is made up for")
    system.advance(by: .seconds(1))
    #expect(count == before + 100)
  }

  @Test("B5 after a second in which the process stood still there is at most one late call")
  func stoodStill() {
    _ = observe()
    system.advance(by: .milliseconds(105))
    #expect(count == 10)
    system.standStill(for: .seconds(1))
    let before = count
    let gone = system.clock.now
    system.advance(by: .milliseconds(95))
    // One late call, then the grid, on which 110 ms came next.
    let late = calls.withLock { $0.dropFirst(before) }.map { gone.duration(to: $0) }
    #expect(late == [.zero] + (0..<10).map { .milliseconds(5 + 10 * $0) })
  }

  @Test("B5 a main queue that is not served is not flooded")
  func busyMain() {
    _ = observe()
    system.isMainServed = false
    system.advance(by: .seconds(1))
    #expect(count == 0)
    system.isMainServed = true
    system.run()
    #expect(count == 1)
    system.advance(by: .milliseconds(10))
    #expect(count == 2)
  }

  @Test("B5 removed it is not called any more, also from inside a call")
  func removed() {
    let observer = observe()
    system.advance(by: .milliseconds(30))
    observer.remove()
    observer.remove()
    system.advance(by: .seconds(1))
    #expect(count == 3)
    let own = Protected<PeriodicObserver?>(nil)
    let once = Protected(0)
    let another = application.addPeriodicObserver(every: .milliseconds(10)) {
      once.withLock { $0 += 1 }
      own.withLock { $0 }?.remove()
    }
    own.withLock { $0 = another }
    system.advance(by: .seconds(1))
    #expect(once.withLock { $0 } == 1)
  }

  @Test("B5 a removed observer lets go of its function, even if the function holds the observer")
  func letsGo() {
    weak var removed: PeriodicObserver?
    do {
      let own = Protected<PeriodicObserver?>(nil)
      let observer = application.addPeriodicObserver(every: .milliseconds(10)) {
        own.withLock { $0 }?.remove()
      }
      own.withLock { $0 = observer }
      removed = observer
      system.advance(by: .milliseconds(5))
      #expect(removed != nil)
      system.advance(by: .seconds(1))
    }
    #expect(removed == nil)
  }

  @Test("B5 one that is added while the application is suspended waits for it to run")
  func addedSuspended() {
    system.enterBackground()
    system.advance(by: .seconds(10))
    #expect(system.lifeState == .suspended)
    _ = observe()
    system.advance(by: .seconds(10))
    #expect(count == 0)
    system.resume()
    system.advance(by: .milliseconds(20))
    #expect(count == 2)
  }

  @Test("B5 on a queue of one's own it is called as on the main queue")
  func queue() {
    let observer = application.addPeriodicObserver(
      every: .milliseconds(20), on: DispatchQueue(label: "test")
    ) { [calls, clock = system.clock] in calls.withLock { $0.append(clock.now) } }
    system.advance(by: .seconds(1))
    #expect(count == 50)
    observer.remove()
  }

  @Test("B5 it goes away with its application")
  func lifetime() {
    weak var left: PeriodicObserver?
    do {
      let system = VirtualSystem()
      let application = Application(system: system)
      system.launch()
      left = application.addPeriodicObserver(every: .milliseconds(10)) {}
      #expect(left != nil)
      system.advance(by: .milliseconds(100))
    }
    #expect(left == nil)
  }
}
