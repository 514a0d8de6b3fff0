import CStint
import Dispatch
import Glibc
import Stint
import StintCore
import Testing

@testable import StintRuntime

@Suite("A system in another process")
struct RemoteSystemTests {
  /// Hands out events one by one.
  private final class Observer: SystemObserver {
    private let events = Protected<[SystemEvent]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func systemDid(_ event: SystemEvent) {
      events.withLock { $0.append(event) }
      arrived.signal()
    }

    func wait(until wanted: (SystemEvent) -> Bool) async {
      while !events.withLock({ $0.contains(where: wanted) }) { await arrived.waitOffPool() }
    }
  }

  private struct Pair {
    let supervisor: InProcessSystem
    let server: SystemServer
    let remote: RemoteSystem
  }

  private static func silent() -> InProcessSystem.Hooks {
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { _ in }
    return hooks
  }

  private static func pair(continuesChild: Bool = false) throws -> Pair {
    var (first, second) = (Int32(-1), Int32(-1))
    try #require(stint_socket_pair(&first, &second) == 0)
    let supervisor = try InProcessSystem(policy: .iOS7, hooks: Self.silent())
    supervisor.driver.launch(.foreground)
    supervisor.driver.becomeActive()
    var hooks = SystemServer.Hooks()
    if continuesChild { hooks.continueChild = {} }
    let server = SystemServer(
      driver: supervisor.driver, name: "child",
      transport: try SocketTransport(descriptor: first, name: "test-server"), hooks: hooks)
    server.start()
    let remote = try RemoteSystem(
      accepting: RemoteInvitation(descriptor: second, owner: getpid()), termination: .report,
      hooks: Self.silent())
    return Pair(supervisor: supervisor, server: server, remote: remote)
  }

  @Test("A3 A4 an application is granted its task by another process, under that one's policy")
  func granted() async throws {
    let pair = try Self.pair()
    let application = Application(system: pair.remote)
    application.launch()
    let (child, system) = (Observer(), Observer())
    pair.remote.driver.add(child)
    pair.supervisor.driver.add(system)
    pair.remote.begin(named: "test")
    let task = application.beginBackgroundTask(withName: "save") {}
    await child.wait { if case .answered(task, .granted) = $0 { true } else { false } }
    #expect(pair.supervisor.driver.openTasks.map(\.name) == ["child", "save"])
    #expect(pair.remote.driver.policy == .iOS7)
    #expect(pair.server.phase == .speaking)

    pair.supervisor.driver.resignActive()
    pair.supervisor.driver.enterBackground()
    await child.wait { $0 == .stateChanged(.background) }
    #expect(pair.remote.driver.usableTimeEnd == pair.supervisor.driver.usableTimeEnd)

    pair.supervisor.driver.revoke()
    await child.wait { if case .stateChanged(.background) = $0 { true } else { false } }
    application.endBackgroundTask(task)
    pair.server.childEnded()
    await system.wait { $0 == .suspended }
    #expect(pair.supervisor.driver.openTasks.isEmpty)
  }

  @Test("A15 a supervisor that continues the process makes it stop when it is suspended")
  func followUp() throws {
    for continues in [false, true] {
      let pair = try Self.pair(continuesChild: continues)
      #expect(pair.remote.driver.suspensionFollowUp == (continues ? .stop : .park))
      pair.server.childEnded()
    }
  }

  @Test("A18 when the other process vanishes, the task is expired")
  func vanished() async throws {
    let pair = try Self.pair()
    pair.remote.driver.launch(.foreground)
    pair.remote.driver.becomeActive()
    let child = Observer()
    pair.remote.driver.add(child)
    pair.remote.begin(named: "test")
    let task = pair.remote.driver.begin(named: "work", origin: .here(), handler: .direct(nil))
      .grant.identifier
    await child.wait { if case .answered = $0 { true } else { false } }
    pair.server.conversationEnded("test")
    await child.wait { if case .expired(task, .revoked, _) = $0 { true } else { false } }
    #expect(pair.remote.driver.refusal != nil)
    pair.remote.driver.end(task, origin: .here())
    await child.wait { $0 == .suspended }
    pair.server.childEnded()
  }

  /// A child of this process that holds a task, with SIGTERM as a stop.
  private static func working() async throws -> (Pair, Observer, BackgroundTaskIdentifier) {
    let pair = try pair()
    pair.remote.stopAtTermination()
    pair.remote.driver.launch(.foreground)
    pair.remote.driver.becomeActive()
    let child = Observer()
    pair.remote.driver.add(child)
    pair.remote.begin(named: "test")
    let task = pair.remote.driver.begin(named: "work", origin: .here(), handler: .direct(nil))
      .grant.identifier
    await child.wait { if case .answered = $0 { true } else { false } }
    return (pair, child, task)
  }

  @Test("W11 SIGTERM is a stop for a program that adopted its supervisor, and for it alone")
  func termination() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let (pair, child, task) = try await RemoteSystemTests.working()
      // Programs that it starts do not ignore the signal.
      let ignored = "$((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status) >> 14 & 1))"
      guard system("test \(ignored) = 0") == 0 else { exit(4) }
      kill(getpid(), SIGTERM)
      await child.wait { if case .expired(task, .signal(SIGTERM), _) = $0 { true } else { false } }
      pair.remote.driver.end(task, origin: .here())
      await child.wait { $0 == .stopCompleted }
      exit(0)
    }
  }

  @Test("W11 a program that goes on after SIGTERM dies of it when its grace is over")
  func goesOnAfterTermination() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let (_, child, task) = try await RemoteSystemTests.working()
      kill(getpid(), SIGTERM)
      await child.wait { if case .expired(task, .signal(SIGTERM), _) = $0 { true } else { false } }
      await child.wait { _ in false }
    }
  }

  @Test("a program that handles or ignores SIGTERM itself keeps that")
  func ownTermination() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGTERM, SIG_IGN)
      let (pair, child, _) = try await RemoteSystemTests.working()
      kill(getpid(), SIGTERM)
      signal(SIGTERM) { _ in _exit(7) }
      pair.remote.stopAtTermination()
      kill(getpid(), SIGTERM)
      await child.wait { _ in false }
    }
  }

  @Test(
    "an offer that is not kept is an error, which names the process",
    arguments: [
      "", "{}\n", "so\n", "{\"type\":\"granted\",\"task\":1}\n", "{\"type\":\"later\"}\n",
      SystemMessage.welcome(
        SystemMessage.Welcome(version: 2, pid: 1, policy: .iOS7, state: .active, trip: nil)
      ).line,
    ])
  func notKept(words: String) throws {
    var (first, second) = (Int32(-1), Int32(-1))
    try #require(stint_socket_pair(&first, &second) == 0)
    _ = send(first, words, words.utf8.count, Int32(MSG_NOSIGNAL))
    Glibc.close(first)
    #expect {
      try RemoteSystem(
        accepting: RemoteInvitation(descriptor: second, owner: 4_711), termination: .report,
        hooks: Self.silent())
    } throws: { error in
      (error as? StintError)?.code == .unavailable && "\(error)".contains("4711")
    }
  }

  @Test("a process that was offered nothing finds nothing")
  func nothing() throws {
    #expect(RemoteInvitation.find() == nil)
    #expect(try RemoteSystem.adopt() == nil)
  }
}
