import StintCore
import Testing

@testable import StintRuntime

@Suite("Stops of the process")
struct StopsTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test("A23 a chunk is charged for the time in which the process ran, and no more")
  func overlap() {
    var stops = Stops()
    #expect(stops.runningTime(from: at(10), to: at(15)) == .seconds(5))
    stops.add(.seconds(4), endedAt: at(14))
    #expect(stops.runningTime(from: at(10), to: at(15)) == .seconds(1), "a stop inside")
    #expect(stops.runningTime(from: at(12), to: at(15)) == .seconds(1), "it began inside the stop")
    #expect(stops.runningTime(from: at(14), to: at(15)) == .seconds(1), "it began after the stop")
    #expect(stops.runningTime(from: at(10), to: at(12)) == .seconds(0), "it ended inside the stop")
    stops.add(.seconds(100), endedAt: at(120))
    #expect(stops.runningTime(from: at(10), to: at(121)) == .seconds(7), "two stops inside")
  }

  @Test("R8 A23 a chunk that ends before the length of a stop is told is charged up to the stop")
  func announced() {
    var stops = Stops()
    stops.announce(at: at(11))
    #expect(stops.runningTime(from: at(10), to: at(110)) == .seconds(1))
    #expect(stops.runningTime(from: at(110), to: at(111)) == .seconds(1), "it began after the stop")
    stops.add(.seconds(98), endedAt: at(109))
    #expect(stops.runningTime(from: at(10), to: at(110)) == .seconds(2))
  }

  @Test("A23 a process that is stopped again and again keeps the newest stops")
  func many() {
    var stops = Stops()
    for second in 1...1_000 { stops.add(.milliseconds(500), endedAt: at(Int64(second))) }
    #expect(stops.runningTime(from: at(900), to: at(1_000)) == .seconds(50))
  }
}
