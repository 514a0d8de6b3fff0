import StintCore
import StintTesting
import Testing

@testable import Stint

@Suite("The worker's host in virtual time")
@MainActor
struct SystemWorkerHostTests {
  /// A client that keeps what it is told.
  final class Client: WorkerHostClient {
    private let heard = Protected<[WorkerTaskAnswer]>([])
    private let expiries = Protected<[ExpiryReason]>([])

    var answers: [WorkerTaskAnswer] { heard.withLock { $0 } }
    var expired: [ExpiryReason] { expiries.withLock { $0 } }

    func taskAnswered(_ answer: WorkerTaskAnswer) { heard.withLock { $0.append(answer) } }
    func taskExpired(_ reason: ExpiryReason) { expiries.withLock { $0.append(reason) } }
    func applicationBecameActive() {}
    func applicationEnteredBackground() {}
    func wasStopped(for duration: Duration) {}
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
