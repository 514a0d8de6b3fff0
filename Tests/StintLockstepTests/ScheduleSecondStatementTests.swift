import StintCore
import Testing

/// The differences between the schedule machine and its model that were mistakes of the machine.
@Suite("What the second statement found in the schedule machine")
struct ScheduleSecondStatementTests {
  private var machine = ScheduleMachine(policy: .iOS13)

  init() {
    _ = machine.handlerRegistered("r", isLate: false)
    _ = machine.lifeChanged(to: .background, now: at(0))
  }

  private func at(_ seconds: Double) -> ScheduleTime {
    let nanoseconds = Int64(seconds * 1e9)
    return ScheduleTime(
      instant: Instant(nanoseconds: 1_000_000_000_000 + nanoseconds),
      wall: WallInstant(nanoseconds: 1_796_000_000_000_000_000 + nanoseconds))
  }

  @Test("Q9 a denied fetch is asked for again after 2 s, and not after its interval")
  mutating func deniedFetch() {
    _ = machine.fetchIntervalSet(.minimum, now: at(0))
    let due = machine.timePassed(now: at(900))
    #expect(due.count == 1)
    _ = machine.taskDenied(1, .suspended, now: at(900))
    #expect(machine.nextWake(now: at(900)) == at(902).instant)
    #expect(machine.why(ScheduleMachine.fetchName, now: at(900)).contains("asked again in 2s"))
    _ = machine.timePassed(now: at(902))
    // The system lets the application run, and then denies the task all the same.
    _ = machine.lifeChanged(to: .suspended, now: at(902))
    _ = machine.lifeChanged(to: .background, now: at(902))
    _ = machine.taskDenied(2, .tooManyTasks(maximum: 1), now: at(902))
    #expect(machine.nextWake(now: at(902)) == at(906).instant, "twice as long each time")
  }

  @Test("Q2 a request that was taken back does not wait again", arguments: [false, true])
  mutating func takenBack(all: Bool) {
    func cancel(_ machine: inout ScheduleMachine) {
      if all { machine.allCancelled() } else { machine.requestCancelled("r") }
    }
    _ = machine.requestSubmitted(TaskRequest("r"), now: at(0))
    cancel(&machine)
    _ = machine.taskDenied(1, .suspended, now: at(0))
    #expect(machine.pending == [])
    _ = machine.requestSubmitted(TaskRequest("r"), now: at(0))
    _ = machine.taskBegan(2, BackgroundTaskIdentifier(rawValue: 1), now: at(0))
    cancel(&machine)
    // Its handler was never called, and nothing begins.
    let due = machine.timePassed(now: at(30))
    #expect(due == [.end(BackgroundTaskIdentifier(rawValue: 1))])
    #expect(machine.pending == [])
  }

  @Test("Q9 a task that was denied leaves the begin before it as it was")
  mutating func pacing() {
    _ = machine.requestSubmitted(TaskRequest("r"), now: at(0))
    _ = machine.taskBegan(1, BackgroundTaskIdentifier(rawValue: 1), now: at(0))
    _ = machine.runCompleted(1, .newData, now: at(0.1))
    let first = machine.requestSubmitted(TaskRequest("r"), now: at(0.1))
    #expect(first.actions == [])
    let second = machine.timePassed(now: at(1))
    #expect(second.count == 1)
    _ = machine.taskDenied(2, .suspended, now: at(1))
    _ = machine.lifeChanged(to: .suspended, now: at(1.3))
    let begun = machine.lifeChanged(to: .background, now: at(1.3))
    #expect(begun.count == 1, "a second after the one that began, and not after the denied one")
  }

  @Test("Q3 a requirement that was missing when a task began counts from then on")
  mutating func missing() {
    var conditions = MachineConditions()
    conditions.hasNetwork = false
    _ = machine.conditionsChanged(to: conditions, now: at(0))
    var request = TaskRequest("r")
    request.requirements = [.network]
    _ = machine.requestSubmitted(request, now: at(0))
    _ = machine.launchSimulated("r", now: at(0))
    _ = machine.taskBegan(1, BackgroundTaskIdentifier(rawValue: 1), now: at(1))
    _ = machine.launchClaimed(1)
    #expect(machine.nextWake(now: at(1)) == at(10).instant)
  }
}
