import StintCore
import StintTesting
import Testing

@testable import StintRuntime

@Suite("The worker's host in virtual time")
@MainActor
struct SystemWorkerHostTests {
  /// A client that keeps what it is told.
  final class Client: WorkerHostClient {
    private let heard = Protected<[TaskGrant]>([])
    private let counts = Protected((suspensions: 0, movedDeadlines: 0, extensions: 0))
    private let expiries = Protected<[ExpiryReason]>([])

    var suspensions: Int { counts.withLock { $0.suspensions } }
    var movedDeadlines: Int { counts.withLock { $0.movedDeadlines } }
    var extensions: Int { counts.withLock { $0.extensions } }
    var answers: [TaskGrant] { heard.withLock { $0 } }
    var expired: [ExpiryReason] { expiries.withLock { $0 } }

    func taskAnswered(_ answer: TaskGrant) { heard.withLock { $0.append(answer) } }
    func taskExpired(_ reason: ExpiryReason) { expiries.withLock { $0.append(reason) } }
    func applicationBecameActive() {}
    func applicationEnteredBackground() {}
    func wasStopped(for duration: Duration) {}
    func applicationSuspended() { counts.withLock { $0.suspensions += 1 } }
    func stopWasRequested(_ reason: ExpiryReason) {}
    func deadlineMoved() { counts.withLock { $0.movedDeadlines += 1 } }
    func deadlineExtended() { counts.withLock { $0.extensions += 1 } }
    func memoryIsShort() {}
  }

  private func makeActive() -> (VirtualSystem, SystemWorkerHost, Client) {
    let system = VirtualSystem(policy: .iOS7, answers: .whenAnswered)
    system.launch()
    let host = SystemWorkerHost(system.driver)
    let client = Client()
    host.attach(client)
    return (system, host, client)
  }

  @Test("W1 the answer of an authority in another process reaches the worker once")
  func lateAnswer() throws {
    let (system, host, client) = makeActive()
    host.requestTask(named: "work", for: client)
    #expect(client.answers == [])
    let task = try #require(system.driver.openTasks.first?.identifier)
    system.answer(task, .granted)
    system.answer(task, .granted)
    #expect(client.answers == [.granted(task)])
  }

  @Test("L5 a worker without a task hears that the application was suspended")
  func suspension() {
    let (system, host, client) = makeActive()
    system.enterBackground()
    #expect(client.suspensions == 0)
    system.advance(by: .seconds(6))
    #expect(client.suspensions == 1)
    host.detach(client)
  }

  @Test("A18 a worker that was expired hears when the end comes nearer")
  func nearerDeadline() throws {
    let system = VirtualSystem(policy: .iOS7)
    system.launch()
    let host = SystemWorkerHost(system.driver)
    let client = Client()
    host.attach(client)
    host.requestTask(named: "work", for: client)
    system.enterBackground()
    system.requestStop(.signal(15), grace: .seconds(30))
    #expect(client.expired == [.signal(15)])
    #expect(client.movedDeadlines == 0)
    system.revoke()
    #expect(client.movedDeadlines == 1)
    #expect(host.deadline == system.clock.now.advanced(by: .seconds(5)))
  }

  @Test("W5 a stint begins a trip; where another process grants the time, that one does")
  func trips() {
    let (remote, host, _) = makeActive()
    host.enterTrip {}
    #expect(remote.lifeState == .active)
    let system = VirtualSystem(policy: .iOS7)
    let local = SystemWorkerHost(system.driver)
    local.enterTrip {}
    #expect(system.lifeState == .background, "not launched before")
    system.advance(by: .seconds(1))
    local.enterTrip {}
    #expect(system.remainingTime == .limited(.seconds(4)), "the trip that has begun is used")
    system.advance(by: .seconds(10))
    local.enterTrip {}
    #expect(system.lifeState == .background)
    #expect(system.remainingTime == .limited(.seconds(5)))
    #expect(local.trip == 2)
  }

  @Test("W6 a grant that comes after the worker's end leaves no task open")
  func grantAfterEnd() throws {
    let (system, host, client) = makeActive()
    host.requestTask(named: "work", for: client)
    let task = try #require(system.driver.openTasks.first?.identifier)
    host.detach(client)
    system.answer(task, .granted)
    #expect(client.answers == [])
    #expect(system.driver.openTasks.isEmpty)
  }
}
