#if Images
import Dispatch
import StintRuntime
import StintCore
import Testing

@testable import StintImages

@Suite("Graphs made on several threads")
struct GraphLockTests {
  @Test("graphs that several threads make and drop at once compute what one alone does")
  func manyThreads() throws {
    let image = try TestImage.image(48, 48, bands: 1, seed: 1)
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
  func waits(for what: String) throws {
    let image = try TestImage.image(16, 16, bands: 1, seed: 1)
    let mine = Protected<VipsImage?>(try image.applying("gaussblur", ["sigma": .number(2)]))
    let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = SerialThread(name: "graphs")
    GraphLock.shared.hold {
      // Nested, as where the owner of an image that is dropped holds another.
      GraphLock.shared.hold {}
      thread.enqueue {
        begun.signal()
        if what == "made" {
          let made = try? image.applying("gaussblur", ["sigma": .number(3)])
          withExtendedLifetime(made) { _ = done.signal() }
        } else {
          mine.withLock { $0 = nil }
          done.signal()
        }
      }
      begun.wait()
      #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    }
    #expect(done.wait(timeout: .now() + .seconds(20)) == .success)
  }
}
#endif
