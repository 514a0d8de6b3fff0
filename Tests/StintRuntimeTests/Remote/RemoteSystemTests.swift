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

  private func silent() -> InProcessSystem.Hooks {
    var hooks = InProcessSystem.Hooks()
    hooks.diagnose = { _ in }
    return hooks
  }

  private func pair() throws -> Pair {
    var (first, second) = (Int32(-1), Int32(-1))
    try #require(stint_socket_pair(&first, &second) == 0)
    let supervisor = try InProcessSystem(policy: .iOS7, hooks: silent())
    supervisor.driver.launch(.foreground)
    supervisor.driver.becomeActive()
    let server = SystemServer(
      driver: supervisor.driver, name: "child",
      transport: try SocketTransport(descriptor: first, name: "test-server"))
    server.start()
    let remote = try RemoteSystem(
      accepting: RemoteInvitation(descriptor: second, owner: getpid()), termination: .report,
      hooks: silent())
    return Pair(supervisor: supervisor, server: server, remote: remote)
  }

  @Test("A3 A4 an application is granted its task by another process, under that one's policy")
  func granted() async throws {
    let pair = try pair()
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

  @Test("A18 when the other process vanishes, the task is expired")
  func vanished() async throws {
    let pair = try pair()
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
        hooks: silent())
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
