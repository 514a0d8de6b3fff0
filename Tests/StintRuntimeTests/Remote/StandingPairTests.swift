import StintCore
import StintTesting
import Testing

@testable import StintRuntime

/// A child whose process stops in words: a test says so to the server, as the kernel does.
@Suite("A child that stops itself, and its supervisor")
@MainActor
struct StandingPairTests {
  /// A child in a trip of 10 s that was suspended in its second second, because it had nothing to
  /// do.
  private func standing() -> RemotePair {
    let pair = RemotePair(inBackground: true, continuesChild: true)
    pair.speak()
    pair.advance(by: .seconds(1))
    pair.child.driver.idle()
    pair.settle()
    #expect(pair.child.lifeState == .suspended)
    return pair
  }

  /// Says to the server that the process stands still, as often as it has stopped itself.
  private func stop(_ pair: RemotePair, times: Int = 1) {
    #expect(pair.child.record.stops == times)
    pair.server.childStopped(true)
    pair.settle()
    #expect(pair.server.childStandsStill)
  }

  @Test("A15 L5 continued for a request, it is resumed in the trip that it is in")
  func due() {
    let pair = standing()
    stop(pair)
    pair.child.driver.setNextBegin(at: pair.clock.now.advanced(by: .seconds(2)))
    pair.settle()
    pair.advance(by: .milliseconds(1_999))
    #expect(pair.continued.withLock { $0 } == 0)
    pair.advance(by: .milliseconds(1))
    #expect(pair.continued.withLock { $0 } == 1)
    #expect(pair.child.lifeState == .background)
    #expect(pair.child.driver.tripEnd?.instant == pair.supervisor.driver.tripEnd?.instant)
    let task = pair.begin("request")
    pair.settle()
    #expect(pair.heldNames == ["request"])
    pair.end(task)
    pair.settle()
    pair.child.driver.idle()
    pair.settle()
    stop(pair, times: 2)
  }

  @Test("A15 L5 the instant of the next request is said with hello, and each time it moves")
  func said() {
    let pair = RemotePair(inBackground: true, continuesChild: true)
    let first = pair.clock.now.advanced(by: .seconds(3))
    pair.child.driver.setNextBegin(at: first)
    pair.speak()
    pair.child.driver.idle()
    pair.settle()
    stop(pair)
    pair.child.driver.setNextBegin(at: first)
    pair.child.driver.setNextBegin(at: nil)
    pair.settle()
    pair.advance(by: .seconds(4))
    #expect(pair.continued.withLock { $0 } == 0)
  }

  @Test("A15 W11 it hears of a stop as one that was never suspended")
  func stopRequested() {
    let pair = standing()
    let told = Protected<[SystemEvent]>([])
    let observer = Listener { event in told.withLock { $0.append(event) } }
    pair.child.driver.add(observer)
    stop(pair)
    pair.supervisor.driver.requestStop(reason: .signal(15), grace: .seconds(5))
    pair.settle()
    #expect(pair.continued.withLock { $0 } == 1)
    #expect(told.withLock { $0 }.contains(.terminating))
    #expect(pair.child.driver.stopReason == .signal(15))
    pair.child.driver.remove(observer)
  }

  @Test("L5 a suspension that is over when the process would stop stops nothing")
  func tooLate() {
    let pair = standing()
    pair.supervisor.enterForeground()
    pair.settle()
    #expect(pair.child.lifeState == .active)
    #expect(!pair.link.mayStop())
  }

  @Test("A15 what the program chooses counts, and without a supervisor nothing stops it")
  func choice() {
    let pair = RemotePair(inBackground: true, continuesChild: true)
    #expect(pair.child.driver.suspensionFollowUp == .stop)
    #expect(pair.child.driver.stopsByDefault)
    pair.child.driver.suspensionFollowUp = .park
    pair.speak()
    pair.child.driver.idle()
    pair.settle()
    #expect(pair.child.lifeState == .suspended)
    #expect(pair.child.record.stops == 0)
    let left = RemotePair(inBackground: true, continuesChild: true)
    left.speak()
    left.link.conversationEnded("test")
    left.settle()
    left.advance(by: .seconds(10))
    #expect(left.child.driver.suspensionFollowUp == .park)
    #expect(left.child.record.stops == 0)
  }

  /// Passes on what a driver tells.
  private final class Listener: SystemObserver {
    private let hear: @Sendable (SystemEvent) -> Void

    init(_ hear: @escaping @Sendable (SystemEvent) -> Void) { self.hear = hear }

    func systemDid(_ event: SystemEvent) { hear(event) }
  }
}
