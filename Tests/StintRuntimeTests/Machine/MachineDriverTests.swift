import Dispatch
import StintCore
import StintRuntime
import Testing

@Suite("Machine driver")
struct MachineDriverTests {
  /// A machine that counts its events: each asks for as many actions as it was told.
  struct Counter {
    var events = 0

    mutating func counted(_ actions: Int) -> [Action] {
      events += 1
      return (0..<actions).map { Action(event: events, place: $0) }
    }
  }

  struct Action: Hashable, Sendable {
    var event: Int
    var place: Int
  }

  let driver = MachineDriver<Counter, Action>(Counter())
  let performed = Protected<[Action]>([])

  func note(_ action: Action) { performed.withLock { $0.append(action) } }

  @Test("the caller performs what its event causes, in order, before the call returns")
  func order() {
    driver.handle({ $0.counted(2) }, perform: note)
    driver.handle({ $0.counted(0) }, perform: note)
    driver.handle({ $0.counted(1) }, perform: note)
    let found = performed.withLock { $0.map { [$0.event, $0.place] } }
    #expect(found == [[1, 0], [1, 1], [3, 0]])
    #expect(driver.isIdle)
    #expect(driver.withLock { $0.events } == 3)
  }

  @Test("what an action leads to comes behind what waits, and not inside the action")
  func reentrance() {
    driver.handle({ $0.counted(2) }) { action in
      #expect(!driver.isIdle)
      let before = performed.withLock { $0.count }
      if action == Action(event: 1, place: 0) {
        driver.handle({ $0.counted(2) }, perform: note)
        #expect(performed.withLock { $0.count } == before, "performed inside an action")
      }
      note(action)
    }
    let found = performed.withLock { $0.map { [$0.event, $0.place] } }
    #expect(found == [[1, 0], [1, 1], [2, 0], [2, 1]])
    #expect(driver.isIdle)
  }

  @Test("a thread that comes while another performs leaves its actions to that one")
  func anotherThread() {
    driver.handle({ $0.counted(1) }) { action in
      note(action)
      guard action.event == 1 else { return }
      let isDone = DispatchSemaphore(value: 0)
      SerialThread(name: "another").enqueue { [driver] in
        driver.handle({ $0.counted(1) }) { action in
          Issue.record("\(action) is performed on the thread of its event")
        }
        isDone.signal()
      }
      isDone.wait()
    }
    #expect(performed.withLock { $0.map(\.event) } == [1, 2])
  }

  @Test("of many threads one performs at a time, and the order is that of the events")
  func threads() {
    let (threads, rounds) = (4, 500)
    let running = Protected(0)
    let isDone = DispatchSemaphore(value: 0)
    for number in 0..<threads {
      SerialThread(name: "events \(number)").enqueue { [driver, performed] in
        for _ in 0..<rounds {
          driver.handle({ $0.counted(2) }) { action in
            let isAlone = running.withLock { running in
              running += 1
              return running == 1
            }
            #expect(isAlone, "two actions at a time")
            performed.withLock { $0.append(action) }
            running.withLock { $0 -= 1 }
          }
        }
        isDone.signal()
      }
    }
    for _ in 0..<threads { isDone.wait() }
    let found = performed.withLock { $0 }
    let expected = (1...threads * rounds).flatMap { event in
      [Action(event: event, place: 0), Action(event: event, place: 1)]
    }
    #expect(found == expected)
  }

  @Test("an urgent action overtakes those that wait, also while another is performed")
  func urgency() {
    let isUrgent = { (action: Action) in action.event == 2 && action.place == 1 }
    driver.handle({ $0.counted(2) }) { action in
      if action == Action(event: 1, place: 0) {
        driver.handle({ $0.counted(3) }, isUrgent: isUrgent, perform: note)
      }
      note(action)
    }
    let found = performed.withLock { $0.map { [$0.event, $0.place] } }
    #expect(found == [[2, 1], [1, 0], [1, 1], [2, 0], [2, 2]])
  }

  @Test("an owner that claims what waits may perform it later")
  func claiming() {
    let isFirst = driver.withActions { counter, waiting in
      waiting.append(counter.counted(1))
      return waiting.claim()
    }
    #expect(isFirst)
    driver.handle({ $0.counted(1) }, perform: note)
    #expect(performed.withLock { $0.isEmpty })
    driver.perform(note)
    #expect(performed.withLock { $0.map(\.event) } == [1, 2])
    #expect(driver.withActions { $1.claim() } == false)
  }
}
