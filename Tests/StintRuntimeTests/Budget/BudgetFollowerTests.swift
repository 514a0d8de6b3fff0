import Dispatch
import Glibc
import StintCore
import Testing

@testable import StintRuntime

@Suite("Ends that move")
struct BudgetFollowerTests {
  /// Notes what it is told, and writes as slowly as a test likes.
  private final class Client: BudgetClient {
    let notes = Protected<[String]>([])
    let mayWrite = DispatchSemaphore(value: 0)
    let isWriting = DispatchSemaphore(value: 0)
    let wasTold = DispatchSemaphore(value: 0)
    let wasAsked = DispatchSemaphore(value: 0)
    let start: Instant
    let writesAtOnce: Bool
    let movesAtOnce: Bool
    /// The hard stops that are still to be moved.
    let toMove = Protected<[@Sendable () -> Void]>([])

    init(start: Instant, writesAtOnce: Bool = true, movesAtOnce: Bool = true) {
      self.start = start
      self.writesAtOnce = writesAtOnce
      self.movesAtOnce = movesAtOnce
    }

    /// Moves the hard stops, as a thread of the client would some time later.
    func move() {
      for moved in toMove.withLock({ moves in
        defer { moves = [] }
        return moves
      }) { moved() }
    }

    private func words(_ end: Deadline?) -> String {
      end.map { start.duration(to: $0.instant).compactText } ?? "never"
    }

    func endMoved(
      to end: Deadline?, because reason: ExpiryReason, then moved: @escaping @Sendable () -> Void
    ) {
      toMove.withLock {
        $0.append { [self] in
          notes.withLock { $0.append("moved \(words(end)) \(reason)") }
          moved()
          wasTold.signal()
        }
      }
      wasAsked.signal()
      if movesAtOnce { move() }
    }

    func recordMovedEnd(_ end: Deadline?) {
      isWriting.signal()
      if !writesAtOnce { mayWrite.wait() }
      notes.withLock { $0.append("wrote \(words(end))") }
      wasTold.signal()
    }

    func wait(_ count: Int) { for _ in 0..<count { wasTold.wait() } }
  }

  private let start = Instant(nanoseconds: 5_000_000_000)
  private func after(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

  /// A trip of 60 s of which a source has said nothing yet.
  private func trip(of client: Client) -> (source: ScriptedSource, follower: BudgetFollower) {
    let source = ScriptedSource(.unknown)
    let sources = BudgetSources([FixedBudget(.seconds(60)), source])
    let follower = BudgetFollower(sources)
    follower.tripBegan(at: start, end: sources.end(ofTripSince: start), of: client)
    return (source, follower)
  }

  @Test("E1 an earlier end counts before it is written down, a later one afterwards")
  func order() {
    let client = Client(start: start)
    let (source, follower) = trip(of: client)
    source.say(.at(after(30)))
    client.wait(2)
    source.say(.at(after(40)))
    client.wait(2)
    source.say(.at(after(99)))
    client.wait(2)
    let reason = ExpiryReason.engineEndTime
    #expect(
      client.notes.withLock { $0 } == [
        "moved 30s \(reason)", "wrote 30s", "wrote 40s", "moved 40s \(reason)",
        // The option's end is the earliest now.
        "wrote 1m", "moved 1m \(ExpiryReason.revoked)",
      ])
    follower.tripEnded()
  }

  @Test("E1 a disk that does not answer holds up no earlier end, and lets no later one count")
  func hangingDisk() {
    let client = Client(start: start, writesAtOnce: false)
    let (source, follower) = trip(of: client)
    source.say(.at(after(30)))
    client.wait(1)
    client.isWriting.wait()
    let before = source.questions
    source.say(.at(after(50)))
    source.say(.at(after(50)))
    // Asked twice, it was followed up once.
    while source.questions < before + 2 { sched_yield() }
    source.say(.at(after(20)))
    client.wait(1)
    #expect(client.notes.withLock { $0 }.map { $0.prefix(9) } == ["moved 30s", "moved 20s"])
    for _ in 0..<3 { client.mayWrite.signal() }
    client.wait(3)
    // Overtaken while it waited for the disk, the later end is written and never counts.
    let last = client.notes.withLock { $0 }.suffix(3)
    #expect(last == ["wrote 30s", "wrote 50s", "wrote 20s"])
    follower.tripEnded()
  }

  @Test("E1 an earlier end is written down only when the hard stop of a slow client stands there")
  func slowClient() {
    let client = Client(start: start, movesAtOnce: false)
    let (source, follower) = trip(of: client)
    source.say(.at(after(30)))
    client.wasAsked.wait()
    let before = source.questions
    source.say(.at(after(20)))
    // Whoever wrote down at once, or moved on, would have done it before a later trip is looked at.
    let next = Client(start: after(1))
    follower.tripBegan(at: after(1), end: Deadline(source: "budget", instant: after(61)), of: next)
    next.wait(2)
    #expect(source.questions > before)
    #expect(client.notes.withLock { $0 }.isEmpty)
    client.move()
    client.wait(2)
    #expect(client.notes.withLock { $0 }.map { $0.prefix(9) } == ["moved 30s", "wrote 30s"])
    follower.tripEnded()
  }

  @Test("E1 what is said while the hard stop moves counts when it stands")
  func saidMeanwhile() {
    let client = Client(start: start, movesAtOnce: false)
    let (source, follower) = trip(of: client)
    source.say(.at(after(30)))
    client.wasAsked.wait()
    source.say(.at(after(20)))
    client.move()
    client.wait(2)
    client.wasAsked.wait()
    client.move()
    client.wait(2)
    #expect(
      client.notes.withLock { $0 }.map { $0.prefix(9) } == [
        "moved 30s", "wrote 30s", "moved 20s", "wrote 20s",
      ])
    follower.tripEnded()
  }

  @Test("E1 what was said before a trip began counts in it, and after its end in none")
  func betweenTrips() {
    let client = Client(start: start)
    let (source, follower) = trip(of: client)
    follower.tripEnded()
    source.say(.at(after(10)))
    let next = Client(start: start)
    // As if it had been asked before the source spoke.
    follower.tripBegan(at: start, end: Deadline(source: "budget", instant: after(60)), of: next)
    next.wait(2)
    #expect(next.notes.withLock { $0 }.count == 2)
    #expect(client.notes.withLock { $0 }.isEmpty)
  }
}
