import Stint
import StintTesting
import Testing

/// One after another: there is one shared application in a process.
@Suite("The shared application", .serialized)
@MainActor
struct SharedApplicationTests {
  @Test(
    "A24 code that knows only the shared application is tested on one virtual system after another")
  func inTurn() throws {
    for budget in [40, 180] {
      let policy = SystemPolicy(name: "test", grant: .seconds(budget), lead: .seconds(5))
      let system = VirtualSystem(policy: policy)
      let application = try system.becomeShared()
      #expect(Application.shared === application)
      system.launch()
      let task = Application.shared.beginBackgroundTask {}
      system.enterBackground()
      #expect(Application.shared.backgroundTimeRemaining == Double(budget))
      Application.shared.endBackgroundTask(task)
    }
  }

  @Test(
    "A24 the place is refused while tasks of the present application are open, with their names")
  func refused() throws {
    let (first, second) = (VirtualSystem(), VirtualSystem())
    let application = try first.becomeShared()
    first.launch()
    let task = application.beginBackgroundTask(withName: "upload") {}
    let error = #expect(throws: StintError.self) { try second.becomeShared() }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("\"upload\"") == true)
    #expect(Application.shared === application)
    application.endBackgroundTask(task)
    #expect(try second.becomeShared() === Application.shared)
  }

  @Test("A24 a system that is killed, or goes away, gives the place back with its tasks")
  func gone() throws {
    let first = VirtualSystem()
    try first.becomeShared()
    first.launch()
    _ = Application.shared.beginBackgroundTask {}
    first.kill()
    var second: VirtualSystem? = VirtualSystem()
    try second?.becomeShared()
    second?.launch()
    _ = Application.shared.beginBackgroundTask {}
    second = nil
    let third = VirtualSystem()
    #expect(try third.becomeShared() === Application.shared)
  }

  @Test("A24 the application that was made for a system is the one that is shared")
  func same() throws {
    let system = VirtualSystem()
    let application = Application(system: system)
    #expect(try system.becomeShared() === application)
  }

  @Test("A24 a program's own application takes the place once")
  func own() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let own = Application(system: try InProcessSystem(policy: .unlimited))
      let other = Application(system: try InProcessSystem(policy: .unlimited))
      try own.becomeShared()
      #expect(Application.shared === own)
      let error = #expect(throws: StintError.self) { try other.becomeShared() }
      #expect(error?.code == .usage)
      #expect(Application.shared === own)
    }
  }

  @Test("A24 L9 after the first use, which launches nothing, a program's own comes too late")
  func tooLate() async {
    await #expect(processExitsWith: .success) { @MainActor in
      #expect(Application.shared.applicationState == .inactive)
      #expect(Application.shared.beginBackgroundTask {} == .invalid)
      let own = Application(system: try InProcessSystem(policy: .unlimited))
      let error = #expect(throws: StintError.self) { try own.becomeShared() }
      #expect(error?.code == .usage)
      #expect(Application.shared !== own)
      #expect(Application.shared.launch())
      #expect(Application.shared.applicationState == .active)
    }
  }
}
