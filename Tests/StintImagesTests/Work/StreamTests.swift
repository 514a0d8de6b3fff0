#if Images
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("Filtering while decoding")
struct StreamTests {
  private static func fixture(
    _ filters: [String] = ["gaussian-blur:2"], height: Int = 900
  ) throws -> ImageFixture {
    try ImageFixture(
      TestImage.shape(400, height, bands: 3), filters: filters, output: "tiff", tile: 64,
      streams: true)
  }

  @Test("an undisturbed run keeps no decoded pixels, and makes the file of a run that does")
  func leavesNothing() throws {
    let fixture = try Self.fixture()
    let (workspace, other) = (MemoryWorkspace(), MemoryWorkspace())
    try fixture.computation().finishBySmallest(in: workspace)
    #expect(workspace.file(ImageGraph.decodedName).bytes.isEmpty)
    var decoding = fixture
    decoding.streams = false
    try decoding.computation().finishBySmallest(in: other)
    #expect(!other.file(ImageGraph.decodedName).bytes.isEmpty)
    #expect(workspace.file().bytes == other.file().bytes)
  }

  @Test("W10 another process keeps the rows that were delivered, and decodes for the others alone")
  func lostStream() throws {
    let fixture = try Self.fixture()
    let workspace = MemoryWorkspace()
    let first = fixture.computation()
    var state = try first.start(in: workspace)
    for _ in 0..<3 { state = try first.next(after: state, in: workspace) ?? state }
    guard case .streaming(let delivered) = state.phase else {
      Issue.record("the work is streamed: \(state.phase)")
      return
    }
    #expect(delivered.rows > 0)
    let later = fixture.computation()
    state = try later.decoded(first.encoded(state), in: workspace)
    #expect(later.outlook(of: state).progress.phase == "decoding")
    #expect(later.outlook(of: state).remainingCost > first.outlook(of: state).remainingCost)
    while let next = try later.next(after: state, in: workspace) {
      state = next
      guard case .decoding(_, let kept) = state.phase else { break }
      #expect(kept?.rows == delivered.rows)
    }
    guard case .filtering(let kept) = state.phase else {
      Issue.record("rows follow the decoding: \(state.phase)")
      return
    }
    #expect(kept.rows == delivered.rows)
  }

  @Test(
    "W15 damage behind rows that a chunk has delivered is told, and is no trap",
    arguments: ["pngsave", "jpegsave"])
  func damagedBehindRows(saver: String) throws {
    let fixture = try ImageFixture(
      TestImage.shape(400, 900, bands: 3), saver: saver, filters: ["invert"], output: "tiff",
      tile: 64, streams: true, isDamaged: true)
    let computation = fixture.computation()
    let workspace = MemoryWorkspace()
    var state = try computation.start(in: workspace)
    let before = computation.outlook(of: state)
    let error = #expect(throws: StintError.self) {
      // As much as there is, in one chunk.
      while let chunk = try computation.run(
        from: state, atMost: .greatestFiniteMagnitude,
        in: ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: 2))
      {
        state = chunk.state
        try computation.outlook(of: state).check(
          after: chunk.cost, atMost: .greatestFiniteMagnitude, from: before)
      }
    }
    #expect(error?.code == .damaged)
  }

  @Test("W10 W11 a stream that a stop has ended may be further back, and that is no mistake")
  func progressWithoutStream() throws {
    let fixture = try Self.fixture()
    let workspace = MemoryWorkspace()
    let first = fixture.computation()
    var state = try first.start(in: workspace)
    for _ in 0..<6 { state = try first.next(after: state, in: workspace) ?? state }
    let streaming = first.outlook(of: state)
    // As in a process whose stream was lost.
    let without = fixture.computation().outlook(of: state)
    #expect(without.progress.fraction < streaming.progress.fraction)
    #expect(throws: Never.self) { try without.check(after: 1, atMost: 1, from: streaming) }
  }

  @Test("W14 a state whose rows were streamed already is gone on with from a decoded source")
  func sameStateTwice() throws {
    let fixture = try Self.fixture()
    let workspace = MemoryWorkspace()
    let computation = fixture.computation()
    var state = try computation.start(in: workspace)
    state = try computation.next(after: state, in: workspace) ?? state
    // The chunk that is thrown away took rows out of the stream.
    _ = try computation.next(after: state, in: workspace)
    while let next = try computation.next(after: state, in: workspace) { state = next }
    #expect(try ImageFile.pixels(workspace.file().bytes).1 == fixture.expectedPixels())
    #expect(!workspace.file(ImageGraph.decodedName).bytes.isEmpty)
  }

  @Test("a damaged source is named, and the rows before the damage are tried both ways")
  func damaged() throws {
    let fixture = try Self.fixture()
    let bytes = try fixture.folder.bytes("source")
    _ = try fixture.folder.write(Array(bytes.prefix(bytes.count / 2)), "source")
    let source = try ImageSource(SourceFile(fixture.folder.path("source")))
    let plan = try ImagePlan(
      source: source, pipeline: FilterPipeline(parsing: ["invert"]),
      request: OutputRequest(format: "tiff", path: nil, compression: nil, tile: 64), threads: 2)
    let computation = ImageComputation(
      plan, fingerprint: fixture.fingerprint, streams: true, deliver: { _, _ in })
    let error = #expect(throws: StintError.self) {
      try computation.finishBySmallest(in: MemoryWorkspace())
    }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(fixture.folder.path("source")) == true)
  }

  @Test(
    "what needs the whole source first, or its rows in another order, is decoded first",
    arguments: ["equalise", "rotate:90", "rotate:180", "flip:vertical"])
  func refused(filter: String) throws {
    let fixture = try Self.fixture([filter])
    #expect(!fixture.plan.canStream)
    let state = try fixture.computation().start(in: MemoryWorkspace())
    guard case .decoding(rows: 0, after: nil) = state.phase else {
      Issue.record("\(filter) is streamed: \(state.phase)")
      return
    }
  }

  @Test(
    "every filter that is streamed makes the pixels of the whole image",
    arguments: FilterCatalogue.all.map(\.example))
  func everyFilter(example: String) throws {
    let fixture = try Self.fixture([example], height: 500)
    guard fixture.plan.canStream else { return }
    let workspace = MemoryWorkspace()
    try fixture.computation().finishBySmallest(in: workspace)
    let found = try ImageFile.pixels(workspace.file().bytes)
    #expect(try found.1 == fixture.expectedPixels())
  }

  @Test("a raised flag ends a chunk between two pieces, and what came before it is kept")
  func flag() throws {
    let fixture = try Self.fixture()
    let workspace = MemoryWorkspace()
    let computation = fixture.computation()
    let start = try computation.start(in: workspace)
    let state = try computation.next(after: start, in: workspace) ?? start
    let context = ChunkContext(stopFlag: .raised, workspace: workspace, threads: 2)
    #expect(try computation.run(from: state, atMost: 1e12, in: context) == nil)
    // The stream lost nothing by it.
    guard case .streaming = computation.settled(state).phase else {
      Issue.record("the stream is gone")
      return
    }
  }
}
#endif
