import CStint
import Foundation
import Stint
import Testing

extension ByTheClock {
  @Suite("Hard stop, process by process")
  struct HardStopTests {
    static let kill: Int32 = 9

    /// Holds the calling thread up, as stuck code would.
    static func park(_ seconds: Double) {
      usleep(UInt32(seconds * 1e6))
    }

    /// An active application whose deadline is real.
    static func makeApplication(budget: Duration = .milliseconds(300)) throws -> Application {
      let policy = SystemPolicy.commandLine.withBudget(budget, lead: .milliseconds(100))
      var hooks = InProcessSystem.Hooks()
      hooks.diagnose = { _ in }
      let system = try InProcessSystem(policy: policy, termination: .terminate, hooks: hooks)
      let application = Application(system: system)
      application.launch()
      return application
    }

    @Test("A19 a process whose threads are all stuck is killed at its deadline")
    func stuck() async {
      await #expect(processExitsWith: .signal(HardStopTests.kill)) {
        let application = try HardStopTests.makeApplication()
        _ = application.beginBackgroundTask(withName: "stuck") {}
        application.enterBackground()
        let start = BootClock.now
        // Not a sleep to wait for something: this is the stuck thread.
        while start.duration(to: BootClock.now) < .seconds(20) {}
        exit(1)
      }
    }

    @Test("A19 the kernel alone is enough: the timers' thread is stuck, too")
    func stuckTimers() async {
      await #expect(processExitsWith: .signal(HardStopTests.kill)) {
        let application = try HardStopTests.makeApplication()
        _ = application.beginBackgroundTask(withName: "stuck") {}
        application.enterBackground()
        BootTimers.shared.post { HardStopTests.park(20) }
        HardStopTests.park(20)
        exit(1)
      }
    }

    @Test("A15 a process that ends its task in time is never killed")
    func inTime() async {
      await #expect(processExitsWith: .exitCode(0)) {
        let application = try HardStopTests.makeApplication()
        let task = application.beginBackgroundTask(withName: "quick") {}
        application.enterBackground()
        application.endBackgroundTask(task)
        HardStopTests.park(0.6)
        exit(0)
      }
    }

    @Test("A17 back in the foreground before the deadline, the hard stop is disarmed")
    func disarmed() async {
      await #expect(processExitsWith: .exitCode(0)) {
        let application = try HardStopTests.makeApplication()
        _ = application.beginBackgroundTask(withName: "long") {}
        application.enterBackground()
        application.enterForeground()
        HardStopTests.park(0.6)
        exit(0)
      }
    }

    @Test("A19 a second application that ends its task does not disarm the hard stop of the first")
    func twoApplications() async {
      await #expect(processExitsWith: .signal(HardStopTests.kill)) {
        let first = try HardStopTests.makeApplication()
        let second = try HardStopTests.makeApplication(budget: .seconds(3600))
        _ = first.beginBackgroundTask(withName: "stuck") {}
        let task = second.beginBackgroundTask(withName: "quick") {}
        first.enterBackground()
        second.enterBackground()
        second.endBackgroundTask(task)
        // The kernel has to do it: nobody else can.
        BootTimers.shared.post { HardStopTests.park(20) }
        HardStopTests.park(20)
        withExtendedLifetime((first, second)) {}
        exit(1)
      }
    }

    @Test("A19 an application that is gone with its system ends no process any more")
    func goneApplication() async {
      await #expect(processExitsWith: .exitCode(0)) {
        let last = try HardStopTests.makeApplication(budget: .seconds(3600))
        do {
          let application = try HardStopTests.makeApplication()
          _ = application.beginBackgroundTask(withName: "forgotten") {}
          application.enterBackground()
        }
        _ = last.beginBackgroundTask(withName: "long") {}
        last.enterBackground()
        HardStopTests.park(0.6)
        exit(0)
      }
    }

    @Test(
      "A7 a diagnostic that cannot be written ends nothing",
      arguments: ["/dev/full", nil] as [String?])
    func diagnosticOnFullDisk(path: String?) async {
      await #expect(processExitsWith: .exitCode(0)) { [path] in
        let application = Application(system: try InProcessSystem(policy: .iOS13))
        application.launch()
        if let path {
          dup2(open(path, O_WRONLY), STDERR_FILENO)
        } else {
          close(STDERR_FILENO)
        }
        application.endBackgroundTask(.invalid)
        // The diagnostic is made on the system's thread; what is posted after it runs after it.
        BootTimers.shared.post { exit(0) }
        HardStopTests.park(20)
        exit(1)
      }
    }

    @Test("A18 a stop's grace is enforced in the foreground")
    func stopGrace() async {
      await #expect(processExitsWith: .signal(HardStopTests.kill)) {
        let application = try HardStopTests.makeApplication()
        _ = application.beginBackgroundTask(withName: "stuck") {}
        application.driver.requestStop(reason: .stopRequested, grace: .milliseconds(100))
        HardStopTests.park(20)
        exit(1)
      }
    }

    @Test("A12 a worker's expiry comes while the main thread is stuck")
    func directExpiry() async {
      await #expect(processExitsWith: .exitCode(75)) {
        let application = try HardStopTests.makeApplication()
        let driver = application.driver
        let grant = driver.begin(
          named: "worker", origin: .here(),
          handler: .direct { expiry in
            driver.end(expiry.task, origin: .here())
            exit(75)
          })
        guard case .granted = grant.grant else { exit(2) }
        application.enterBackground()
        HardStopTests.park(20)
        exit(1)
      }
    }

    @Test("R9 process 1 exits with its child's status")
    func processOneStatus() async {
      await #expect(processExitsWith: .exitCode(7)) {
        guard stint_fork_and_serve() == 0 else { exit(1) }
        _exit(7)
      }
    }

    @Test("R9 process 1 exits with 128 and the number of the signal that ended its child")
    func processOneSignal() async {
      await #expect(processExitsWith: .exitCode(137)) {
        guard stint_fork_and_serve() == 0 else { exit(1) }
        stint_kill_self()
      }
    }

    @Test("process 1 sees its child end although SIGCHLD was ignored at the start")
    func processOneWithoutChildSignal() async {
      await #expect(processExitsWith: .exitCode(7)) {
        signal(SIGCHLD, SIG_IGN)
        // A guard for the test alone: without the child's end, process 1 would serve for ever.
        _ = stint_hard_stop_set(stint_boottime_ns() + 20_000_000_000)
        guard stint_fork_and_serve() == 0 else { exit(1) }
        var action = sigaction()
        sigaction(SIGCHLD, nil, &action)
        let isIgnored = unsafeBitCast(action.__sigaction_handler, to: Int.self) == 1
        _exit(isIgnored ? 7 : 8)
      }
    }
  }
}
