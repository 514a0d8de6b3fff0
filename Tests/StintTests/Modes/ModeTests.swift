import Stint
import StintTesting
import Testing

@Suite("Background modes")
@MainActor
struct ModeTests {
  private let system = VirtualSystem(policy: .iOS13)
  private let application: Application

  init() throws {
    application = Application(system: system)
    system.launch()
    try application.declareMode(.audio, because: "It plays what you put on.")
  }

  private func sentence(_ body: () throws(StintError) -> Void) -> String? {
    do throws(StintError) {
      try body()
      return nil
    } catch {
      return error.message
    }
  }

  @Test("B5 while a declared mode is in use, the time has no end; afterwards a trip's begins")
  func unlimited() throws {
    let use = try application.useMode(.audio)
    #expect(application.modesInUse == [.audio])
    system.enterBackground()
    system.advance(by: .seconds(3_600))
    #expect(system.lifeState == .background)
    #expect(application.remainingTime == .unlimited)
    #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
    let task = application.beginBackgroundTask(withName: "save") {}
    #expect(system.hardStop == nil)
    use.end()
    use.end()
    #expect(application.remainingTime == .limited(.seconds(30)))
    #expect(system.hardStop == system.clock.now.advanced(by: .seconds(30)))
    application.endBackgroundTask(task)
    system.run()
    #expect(system.lifeState == .suspended)
    #expect(system.record.diagnostics == [])
  }

  @Test("B5 what an undeclared mode was to go on with stops at suspension, and a sentence says so")
  func undeclared() {
    let said = sentence { () throws(StintError) in _ = try application.useMode(.location) }
    #expect(
      said
        == "The background mode \"location\" is refused: the program has not declared it, so it is suspended like any other."
    )
    let calls = Protected(0)
    application.addPeriodicObserver(every: .milliseconds(10)) { calls.withLock { $0 += 1 } }
    system.enterBackground()
    system.advance(by: .seconds(60))
    #expect(system.lifeState == .suspended)
    #expect(calls.withLock { $0 } <= 501)
  }

  @Test("B5 a periodic observer of a declared mode goes on in the background")
  func observer() throws {
    let use = try application.useMode(.audio)
    let calls = Protected(0)
    application.addPeriodicObserver(every: .milliseconds(10)) { calls.withLock { $0 += 1 } }
    system.enterBackground()
    system.advance(by: .seconds(60))
    #expect(calls.withLock { $0 } == 6_000)
    use.end()
    system.advance(by: .seconds(60))
    #expect(calls.withLock { $0 } <= 6_501, "5 s of grace are left")
  }

  @Test("B5 a mode is declared with a name and a reason")
  func declared() {
    for reason in ["", " \n"] {
      #expect(
        sentence { () throws(StintError) in try application.declareMode(.location, because: reason)
        } != nil)
    }
    #expect(
      sentence { () throws(StintError) in
        try application.declareMode(BackgroundMode(rawValue: " "), because: "For nothing.")
      } != nil)
    #expect(application.declaredModes == [.audio: "It plays what you put on."])
  }

  @Test("B5 a use that goes away is over")
  func lifetime() throws {
    var use: ModeUse? = try application.useMode(.audio)
    #expect(use?.isActive == true)
    use = nil
    #expect(application.modesInUse == [])
  }

  @Test("B5 where the permission is missing or withdrawn, the mode is not in use")
  func permission() throws {
    system.setConditions(ModeConditions(isPermitted: false), of: .audio)
    #expect(!application.conditions(of: .audio).isPermitted)
    let said = sentence { () throws(StintError) in _ = try application.useMode(.audio) }
    #expect(said == "The background mode \"audio\" is refused: it is not permitted.")
    system.setConditions(ModeConditions(accuracy: 100), of: .audio)
    #expect(application.conditions(of: .audio).accuracy == 100)
    let use = try application.useMode(.audio)
    system.enterBackground()
    system.advance(by: .seconds(60))
    system.setConditions(ModeConditions(isPermitted: false), of: .audio)
    #expect(!use.isActive)
    #expect(system.record.diagnostics == [.modeEnded(.audio, .notPermitted)])
    system.advance(by: .seconds(5))
    #expect(system.lifeState == .suspended)
  }

  @Test(
    "B5 a budget, another process or an engine limits the time itself, and its hard stop stands")
  func limited() throws {
    let budget = VirtualSystem(policy: .commandLine.withBudget(.seconds(20)))
    let remote = VirtualSystem(policy: .iOS13, answers: .whenAnswered)
    for system in [budget, remote] {
      let application = Application(system: system)
      system.launch()
      try application.declareMode(.audio, because: "It plays what you put on.")
      let said = sentence { () throws(StintError) in _ = try application.useMode(.audio) }
      #expect(
        said
          == "The background mode \"audio\" is refused: the time has a limit of its own here, which no mode lifts."
      )
      let task = application.beginBackgroundTask(withName: "save") {}
      if system === remote { system.answer(task, .granted) }
      system.enterBackground()
      #expect(system.hardStop != nil)
    }
  }

  @Test("B5 A18 time that is taken back ends the use, and the trip has an end again")
  func revoked() throws {
    let use = try application.useMode(.audio)
    system.enterBackground()
    system.advance(by: .seconds(100))
    system.revoke(.engineEndTime)
    #expect(!use.isActive)
    #expect(system.record.diagnostics == [.modeEnded(.audio, .limited)])
    #expect(system.remainingTime == .limited(.seconds(5)))
  }
}
