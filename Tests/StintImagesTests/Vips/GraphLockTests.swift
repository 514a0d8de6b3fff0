#if Images
import Foundation
import Stint
import StintCore
import Testing

@testable import StintImages

@Suite("Graphs made on several threads")
struct GraphLockTests {
  @Test("graphs that several threads make and drop at once compute what one alone does")
  func manyThreads() throws {
    let image = try TestImage.image(TestImage.shape(48, 48, bands: 1), seed: 1)
    @Sendable func pixels(_ sigma: Int) throws -> [UInt8] {
      try image.applying("gaussblur", ["sigma": .number(Double(sigma))])
        .applying("gaussblur", ["sigma": .number(1.5)]).pixels()
    }
    let alone = try (1...4).map(pixels)
    let together = try Parallel.map(count: 200, threads: 4) { index in
      try pixels(index % 4 + 1) == alone[index % 4]
    }
    #expect(together.filter { $0 }.count == 200)
  }

  @Test(
    "a node is made, and dropped, by one thread at a time",
    arguments: ["made", "dropped"])
  func waits(for what: String) async throws {
    let image = try TestImage.image(TestImage.shape(16, 16, bands: 1), seed: 1)
    let mine = Protected<VipsImage?>(try image.applying("gaussblur", ["sigma": .number(2)]))
    let state = Protected((isBegun: false, isDone: false))
    let thread = SerialThread(name: "graphs")
    GraphLock.shared.hold {
      // Nested, as where the owner of an image that is dropped holds another.
      GraphLock.shared.hold {}
      thread.enqueue {
        state.withLock { $0.isBegun = true }
        if what == "made" {
          let made = try? image.applying("gaussblur", ["sigma": .number(3)])
          withExtendedLifetime(made) { state.withLock { $0.isDone = true } }
        } else {
          mine.withLock { $0 = nil }
          state.withLock { $0.isDone = true }
        }
      }
      while !state.withLock({ $0.isBegun }) { usleep(1000) }
      usleep(50_000)
      #expect(!state.withLock { $0.isDone })
    }
    for _ in 0..<10_000 where !state.withLock({ $0.isDone }) { usleep(1000) }
    #expect(state.withLock { $0.isDone })
  }
}
#endif
