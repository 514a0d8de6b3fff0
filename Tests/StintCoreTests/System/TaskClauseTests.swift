import StintCore
import Testing

@Suite("System machine: tasks")
struct TaskClauseTests {
  @Test("A1 identifiers count from 1 and are never reused")
  func identifiers() {
    let probe = MachineProbe.active()
    let first = probe.begin()
    let second = probe.begin()
    probe.end(first)
    probe.end(second)
    #expect(first.rawValue == 1)
    #expect(second.rawValue == 2)
    #expect(probe.begin().rawValue == 3)
    #expect(BackgroundTaskIdentifier.invalid.rawValue == 0)
  }

  @Test("A2 a task without a name is named after its function, and its place is kept")
  func names() {
    let probe = MachineProbe.active()
    let origin = TaskOrigin(function: "save()", file: "App/Store.swift", line: 7)
    probe.begin("", origin: origin)
    probe.begin("upload", origin: origin)
    let open = probe.machine.openTasks(at: probe.now)
    #expect(open.map(\.name) == ["save()", "upload"])
    #expect(open.map(\.origin) == [origin, origin])
  }

  @Test("A3 a remote authority is asked, and answers later")
  func asynchronousGrant() {
    let probe = MachineProbe.active(authority: .remote)
    let request = probe.machine.taskRequested(
      name: "t", origin: .here(), delivery: .mainQueue, now: probe.now)
    #expect(request.isPending)
    #expect(request.actions == [.ask(request.grant.identifier)])
    #expect(probe.machine.openTasks(at: probe.now).map(\.state) == [.pending])
    probe.event { $0.taskAnswered(request.grant.identifier, .granted, now: $1) }
    #expect(probe.last == [.answer(request.grant.identifier, .granted)])
    #expect(probe.machine.openTasks(at: probe.now).map(\.state) == [.granted])
  }

  @Test("A4 a denial is given at once where it is known, with its reason")
  func denialAtOnce() {
    let unlaunched = MachineProbe()
    #expect(unlaunched.ask() == .denied(.notRunning))
    #expect(unlaunched.ask().identifier == .invalid)
    let probe = MachineProbe.active()
    probe.enterBackground()
    probe.advance(.seconds(6))
    #expect(probe.ask() == .denied(.suspended))
  }

  @Test("A4 a late denial calls the handler once with the reason, and the task holds nothing")
  func denialLater() {
    let probe = MachineProbe.active(authority: .remote)
    let task = probe.begin()
    probe.enterBackground()
    probe.event { $0.taskAnswered(task, .denied(.refused("no")), now: $1) }
    guard
      case .callHandlers([task], .denied(.refused("no")), _, let epoch)? = probe.last.first(
        where: { if case .callHandlers = $0 { true } else { false } })
    else {
      Issue.record("the handler was not called: \(probe.last)")
      return
    }
    #expect(probe.last.last == .suspend, "a denied task does not hold the application")
    #expect(probe.claim(task, epoch: epoch))
    #expect(!probe.claim(task, epoch: epoch), "once")
    #expect(probe.end(task) == .handlerAlreadyStarted)
  }

  @Test("A5 a call is claimed once, and never after the end")
  func claims() {
    let probe = MachineProbe.active()
    let ended = probe.begin()
    let claimed = probe.begin()
    probe.enterBackground()
    probe.advance(.seconds(25))
    #expect(probe.end(ended) == .ended)
    #expect(!probe.claim(ended))
    #expect(probe.claim(claimed))
    #expect(!probe.claim(claimed), "a claimed call is not claimed again")
    #expect(probe.end(claimed) == .handlerAlreadyStarted)
    probe.returned(claimed)
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test("A6 each task is ended on its own")
  func ownEnds() {
    let probe = MachineProbe.active()
    let first = probe.begin("same")
    let second = probe.begin("same")
    probe.enterBackground()
    probe.end(first)
    #expect(probe.machine.tasks.map(\.identifier) == [second])
    #expect(probe.machine.lifeState == .background)
    probe.end(second)
    #expect(probe.machine.lifeState == .suspended)
  }

  @Test("A7 ending what is not open changes nothing and makes one diagnostic")
  func wrongEnds() {
    let probe = MachineProbe.active()
    let here = TaskOrigin(function: "f()", file: "M/F.swift", line: 1)
    let there = TaskOrigin(function: "g()", file: "M/G.swift", line: 2)
    let open = probe.begin("open")
    let task = probe.begin("done")
    probe.end(task, by: here)
    #expect(probe.end(task, by: there) == .alreadyEnded)
    #expect(probe.last == [.diagnose(.endedTwice(task, name: "done", first: here, by: there))])
    #expect(probe.end(.invalid, by: there) == .unknown)
    #expect(probe.last == [.diagnose(.endedInvalid(by: there))])
    let strange = BackgroundTaskIdentifier(rawValue: 99)
    #expect(probe.end(strange, by: there) == .unknown)
    #expect(probe.last == [.diagnose(.endedUnknown(strange, by: there))])
    #expect(probe.end(BackgroundTaskIdentifier(rawValue: -1), by: there) == .unknown)
    #expect(probe.machine.tasks.map(\.identifier) == [open])
    for _ in 0..<40 { probe.end(probe.begin(), by: here) }
    #expect(probe.end(task, by: there) == .alreadyEnded, "forgotten, but once given out")
    #expect(probe.last == [.diagnose(.endedUnknown(task, by: there))])
    #expect(probe.diagnostics.allSatisfy { $0.description.contains("M/G.swift:2") })
  }

  @Test("A8 one task more than the maximum is denied with the number")
  func maximum() {
    let probe = MachineProbe.active(changed(MachineProbe.policy) { $0.maximumTasks = 3 })
    let tasks = (0..<3).map { _ in probe.begin() }
    #expect(probe.ask() == .denied(.tooManyTasks(maximum: 3)))
    probe.end(tasks[0])
    #expect(probe.ask().identifier.rawValue == 4)
    #expect(SystemPolicy.iOS13.maximumTasks == 1_000)
  }
}
