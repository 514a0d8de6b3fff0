import Testing

@testable import StintCore

@Suite("What a schedule leaves to the next process")
struct ScheduleRecordTests {
  private func at(_ seconds: Int) -> ScheduleTime {
    ScheduleTime(
      instant: Instant(nanoseconds: 1_000_000_000_000 + Int64(seconds) * 1_000_000_000),
      wall: WallInstant(nanoseconds: 1_796_000_000_000_000_000 + Int64(seconds) * 1_000_000_000))
  }

  /// A process that has read what another one left, has registered handlers, and was launched.
  private func next(
    after record: ScheduleRecord, handlers: [String] = ["r", "p"], at seconds: Int
  ) -> ScheduleMachine {
    var machine = ScheduleMachine(policy: .iOS13)
    _ = machine.recordRead(record, now: at(seconds))
    for identifier in handlers { _ = machine.handlerRegistered(identifier, isLate: false) }
    _ = machine.lifeChanged(to: .background, now: at(seconds))
    _ = machine.handlersRegistered(now: at(seconds))
    return machine
  }

  /// Grants all that is asked for, and calls the handlers.
  @discardableResult
  private func begin(_ machine: inout ScheduleMachine, at seconds: Int) -> [Int] {
    let asking = machine.runs.filter { $0.phase == .asking }.map(\.number)
    for run in asking {
      _ = machine.taskBegan(
        run, BackgroundTaskIdentifier(rawValue: run + 100), now: at(seconds))
      _ = machine.launchClaimed(run)
    }
    return asking
  }

  private func record(_ requests: [ScheduleRecord.Kept]) -> ScheduleRecord {
    var record = ScheduleRecord()
    record.requests = requests
    return record
  }

  @Test("Q6 what waits, and what nobody has heard of, waits in the next process")
  func waits() {
    var machine = next(after: ScheduleRecord(), at: 0)
    let later = TaskRequest("p", kind: .processing, earliestBegin: at(100).wall)
    _ = machine.requestSubmitted(later, now: at(0))
    _ = machine.requestSubmitted(TaskRequest("r"), now: at(0))
    #expect(machine.runs.map(\.phase) == [.asking])
    #expect(machine.record.requests.map(\.request.identifier) == ["r", "p"])
    #expect(machine.record.requests.allSatisfy { $0.began == nil })
    _ = machine.taskBegan(1, BackgroundTaskIdentifier(rawValue: 1), now: at(0))
    #expect(machine.record.requests.first?.began == nil, "its handler was not called")
    _ = machine.launchClaimed(1)
    #expect(machine.record.requests.first?.began == at(0).wall && machine.record.begins == 1)
    let completion = machine.runCompleted(1, .failed, now: at(3))
    #expect(completion.isTaken)
    #expect(machine.record.requests == [ScheduleRecord.Kept(later)])
  }

  @Test("Q6 nothing of it begins before the launch has ended")
  func launch() {
    var machine = ScheduleMachine(policy: .iOS13)
    var left = record([.init(TaskRequest("r"))])
    left.plan = FetchPlan(
      interval: .minimum, usage: UsageHistory(), doublings: 0, since: at(-10_000).wall)
    _ = machine.recordRead(left, now: at(0))
    _ = machine.handlerRegistered("r", isLate: false)
    let early = machine.lifeChanged(to: .background, now: at(0))
    #expect(early == [] && machine.pending.count == 1)
    let (setAside, actions) = machine.handlersRegistered(now: at(0))
    #expect(setAside == [] && actions.count == 2, "the request and the fetch")
  }

  @Test("Q6 a task that was not completed waits 10 s and 20 s from its begin, then is set aside")
  func deaths() {
    var left = record([.init(TaskRequest("r"))])
    var begins: [Int] = []
    var seconds = 0
    while begins.count < 5, seconds < 200 {
      var machine = next(after: left, at: seconds)
      while machine.runs.isEmpty, seconds < 200 {
        seconds += 1
        _ = machine.timePassed(now: at(seconds))
      }
      let begun = begin(&machine, at: seconds)
      left = machine.record
      if begun.isEmpty { break }
      begins.append(seconds)
    }
    #expect(begins == [0, 10, 30])
    var machine = ScheduleMachine(policy: .iOS13)
    #expect(machine.recordRead(left, now: at(300)).setAside == [], "it was told before")
    #expect(machine.why("r", now: at(300)).contains("is set aside: 3 programs in a row"))
    #expect(machine.record.requests.map(\.setAside) == [.died] && machine.record.deaths == [:])
  }

  @Test("Q6 a completion or a cancellation forgets the ends before it", arguments: [true, false])
  func forgets(isCompleted: Bool) {
    var left = record([.init(TaskRequest("r"))])
    left.deaths["r"] = ScheduleRecord.Death(count: 2, began: at(0).wall)
    var machine = next(after: left, at: 20)
    begin(&machine, at: 20)
    #expect(machine.record.deaths["r"]?.count == 2)
    if isCompleted {
      _ = machine.runCompleted(1, .newData, now: at(21))
    } else {
      machine.requestCancelled("r")
    }
    #expect(machine.record.deaths == [:] && machine.record.requests == [])
  }

  @Test("Q6 the next one that its handler asked for does not begin before, and dies with it")
  func chain() {
    var left = ScheduleRecord()
    left.requests = [
      .init(TaskRequest("r"), began: at(0).wall),
      .init(TaskRequest("r", earliestBegin: at(4).wall)),
    ]
    let again = left.afterEnd(.iOS13)
    #expect(again.requests == [.init(TaskRequest("r", earliestBegin: at(4).wall))])
    #expect(again.deaths["r"]?.left(at(5).wall) == .seconds(5))
    #expect(again.deaths["r"]?.left(at(10).wall) == nil)
    #expect(again.deaths["r"]?.left(at(-1).wall) == nil, "the clock was set back")
    left.deaths["r"] = ScheduleRecord.Death(count: 2, began: at(-50).wall)
    #expect(left.afterEnd(.iOS13).requests.map(\.setAside) == [.died])
  }

  @Test("Q6 a request without a handler is set aside and named, until a process has one")
  func homeless() {
    let left = record([.init(TaskRequest("r")), .init(TaskRequest("p", kind: .processing))])
    var machine = next(after: left, handlers: ["p"], at: 0)
    #expect(machine.pending == [] && machine.runs.map(\.request.identifier) == ["p"])
    #expect(machine.record.requests.first?.setAside == .noHandler)
    let again = next(after: machine.record, at: 1)
    #expect(again.runs.map(\.request.identifier).contains("r"))
    _ = machine.handlerRegistered("r", isLate: true)
    let submission = machine.requestSubmitted(TaskRequest("r"), now: at(1))
    #expect(submission.refusal == nil)
    #expect(machine.record.requests.allSatisfy { $0.setAside == nil }, "it was asked for anew")
  }

  @Test("Q6 what the process was to be ended for counts as not completed")
  func failed() {
    var machine = next(after: record([.init(TaskRequest("r"))]), at: 0)
    begin(&machine, at: 0)
    _ = machine.timePassed(now: at(25))
    let actions = machine.timePassed(now: at(30))
    #expect(actions == [.fail(BackgroundTaskIdentifier(rawValue: 101))])
    #expect(machine.record.requests.map(\.began) == [at(0).wall])
    #expect(machine.pending == [], "in this process it does not wait")
    #expect(machine.record.afterEnd(.iOS13).deaths["r"]?.count == 1)
  }

  @Test("Q6 what was asked for in the launch counts, and the limits hold for both together")
  func replaced() {
    var machine = ScheduleMachine(policy: .iOS13)
    let left = record([.init(TaskRequest("r")), .init(TaskRequest("p", kind: .processing))])
    _ = machine.recordRead(left, now: at(0))
    for identifier in ["r", "s", "p"] { _ = machine.handlerRegistered(identifier, isLate: false) }
    let another = machine.requestSubmitted(TaskRequest("s"), now: at(0))
    #expect(another.refusal == .tooManyWaiting("s", .refresh, most: 1))
    let newer = TaskRequest("r", earliestBegin: at(50).wall)
    let submission = machine.requestSubmitted(newer, now: at(0))
    #expect(submission.refusal == nil)
    #expect(machine.pending.filter { $0.identifier == "r" } == [newer])
    machine.allCancelled()
    #expect(machine.pending == [] && machine.record == ScheduleRecord())
  }

  @Test("Q6 a fetch that was cut off makes the next one twice as far, and is not begun again")
  func fetch() {
    var machine = next(after: ScheduleRecord(), at: 0)
    _ = machine.fetchIntervalSet(.atLeast(.seconds(100)), now: at(0))
    _ = machine.timePassed(now: at(100))
    begin(&machine, at: 100)
    #expect(machine.record.isFetching && machine.record.requests == [])
    let after = next(after: machine.record, at: 101)
    #expect(after.plan.doublings == 1 && !after.record.isFetching)
    #expect(after.nextWake(now: at(101)) == at(300).instant)
  }

  @Test("Q8 a loss is simulated with the requirement that the task has")
  func loss() {
    var needy = TaskRequest("r")
    needy.requirements = [.externalPower]
    var machine = next(after: record([.init(needy)]), at: 0)
    begin(&machine, at: 0)
    let (isFound, actions) = machine.lossSimulated("r", now: at(1))
    #expect(
      isFound
        && actions == [
          .expire(run: 1, .requirementLost(.externalPower), deadline: at(6).instant)
        ])
    #expect(machine.lossSimulated("p", now: at(1)).isFound == false)
  }
}
