#if Images
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("Filtering many images while they are decoded")
struct ImageSetStreamTests {
  @Test(
    "a large one that is streamed keeps no decoded pixels; a chunk thrown away decodes it after all"
  )
  func streamed() throws {
    for throwsAway in [false, true] {
      var fixture = try ImageSetFixture(count: 2)
      fixture.streams = true
      let workspace = MemoryWorkspace()
      let computation = try fixture.computation()
      var state = try computation.start(in: workspace)
      var (wasStreamed, hasDecoded) = (false, false)
      while true {
        if case .working(_, let inner)? = state.current?.phase,
          case .streaming(let rows) = inner.phase
        {
          // The rows of a chunk that is thrown away are gone from the stream.
          if throwsAway, rows.rows > 0 { _ = try computation.next(after: state, in: workspace) }
          wasStreamed = true
        }
        if case .working(_, let inner)? = state.current?.phase, case .decoding = inner.phase {
          hasDecoded = true
        }
        guard let next = try computation.next(after: state, in: workspace) else { break }
        state = next
      }
      #expect(wasStreamed)
      #expect(hasDecoded == throwsAway)
      try fixture.expectAll()
    }
  }
}
#endif
