import Dispatch
import Foundation
import Glibc
import Stint
import StintCore
import Testing

extension EndToEnd {
  @Suite("Transitions, process by process")
  struct TransitionTests {
    private static let names = [
      Application.willResignActiveNotification, Application.didEnterBackgroundNotification,
      Application.willEnterForegroundNotification, Application.didBecomeActiveNotification,
    ]
    private static let trip: [(Notification.Name, ApplicationState)] = [
      (names[0], .active), (names[1], .background), (names[2], .background), (names[3], .active),
    ]

    private static func makeApplication(_ policy: SystemPolicy) throws -> Application {
      var hooks = InProcessSystem.Hooks()
      hooks.diagnose = { _ in }
      return Application(
        system: try InProcessSystem(policy: policy, termination: .terminate, hooks: hooks))
    }

    @Test(
      "L2 observers that insist on the main queue live through trips that begin on any thread",
      arguments: [false, true])
    func mainQueue(asOperations: Bool) async {
      await #expect(processExitsWith: .exitCode(0)) { [asOperations] in
        let application = try TransitionTests.makeApplication(.iOS13)
        let (told, tell) = AsyncStream.makeStream(of: (Notification.Name, ApplicationState).self)
        for name in TransitionTests.names {
          _ = NotificationCenter.default.addObserver(
            forName: name, object: application, queue: asOperations ? .main : nil
          ) { notification in
            dispatchPrecondition(condition: .onQueue(.main))
            tell.yield((notification.name, application.applicationState))
          }
        }
        DispatchQueue.global().async {
          application.launch()
          for _ in 0..<3 {
            application.enterBackground()
            application.enterForeground()
          }
        }
        let expected =
          [(TransitionTests.names[3], ApplicationState.active)]
          + [[(Notification.Name, ApplicationState)]](
            repeating: TransitionTests.trip, count: 3
          ).joined()
        var seen = 0
        for await (name, state) in told {
          guard (name, state) == expected[seen] else { exit(2) }
          seen += 1
          if seen == expected.count { exit(0) }
        }
      }
    }

    @Test("L4 a main thread that is stuck costs a program without a delegate nothing")
    func stuckMain() async {
      await #expect(processExitsWith: .exitCode(0)) {
        var policy = SystemPolicy.commandLine.withBudget(.seconds(60), lead: .seconds(5))
        policy.enterBackgroundGrace = .milliseconds(100)
        let application = try TransitionTests.makeApplication(policy)
        _ = NotificationCenter.default.addObserver(
          forName: Application.didEnterBackgroundNotification, object: nil, queue: nil
        ) { _ in exit(2) }
        let (stuck, isStuck) = AsyncStream.makeStream(of: Void.self)
        DispatchQueue.main.async {
          isStuck.finish()
          ByTheClock.HardStopTests.park(20)
        }
        for await _ in stuck {}
        application.launch()
        let task = application.beginBackgroundTask(withName: "work") {}
        application.enterBackground()
        guard application.applicationState == .background else { exit(3) }
        ByTheClock.HardStopTests.park(0.4)
        application.suspendWhenIdle()
        application.endBackgroundTask(task)
        // Ended in time, and nobody had to be told on the stuck thread for the application to be
        // suspended.
        try await waitUntil("the suspension") { application.driver.lifeState == .suspended }
        exit(0)
      }
    }

    @Test("W1 a worker that was started holds its claim while it loads, whatever comes next")
    func loading() async throws {
      let scratch = try Scratch()
      await #expect(processExitsWith: .exitCode(0)) { [path = scratch.path as String] in
        var computation = SteppingComputation(path: path)
        computation.inStart = { ByTheClock.HardStopTests.park(0.4) }
        try await computation.runProcess(
          budget: .seconds(60), lead: .seconds(5), grace: .milliseconds(100))
      }
      #expect(scratch.text("f") == SteppingComputation.result)
    }

    @Test("W9 R12 a library's job is delivered once, and again only when its result is gone")
    func finishedJob() async throws {
      let scratch = try Scratch()
      // Counted by the journal's lines, and by what a second delivery would write over.
      func run() async {
        await #expect(processExitsWith: .exitCode(0)) { [path = scratch.path as String] in
          try await SteppingComputation(path: path).runProcess(
            budget: .seconds(60), lead: .seconds(5))
        }
      }
      await run()
      #expect(scratch.text("f") == SteppingComputation.result)
      try scratch.write("somebody's", to: "f")
      await run()
      #expect(scratch.text("f") == "somebody's", "it was delivered twice")
      #expect(scratch.journal.all("finished").count == 1)
      #expect(scratch.journal.all("stintBegan").count == 1)
      try FileManager.default.removeItem(atPath: scratch("f"))
      await run()
      #expect(scratch.text("f") == SteppingComputation.result)
      #expect(scratch.journal.all("finished").count == 2)
      let list = try await scratch.start(["list", "--json"]).wait()
      #expect(list.text.contains(#""state":"finished""#), "\(list.text) \(list.errors)")
      let clean = try await scratch.start(["clean"]).wait().expectExit(0)
      #expect(scratch.job == nil, "\(clean.text)\(clean.errors)")
    }
  }
}
