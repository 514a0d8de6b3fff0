#if Images
import StintRuntime
import StintCore
import StintTesting
import Testing

@testable import StintImages

@Suite("The work on an image")
struct ImageComputationTests {
  @Test(
    "W8 the pixels are those of libvips on the whole image, whatever is read and written",
    arguments: ImageExample.allCases)
  func pixels(_ example: ImageExample) throws {
    let fixture = try example.fixture()
    let workspace = MemoryWorkspace()
    let computation = fixture.computation()
    try computation.finishBySmallest(in: workspace)
    let (shape, pixels) = try ImageFile.pixels(workspace.file().bytes)
    #expect(shape.width == fixture.plan.resultShape.width)
    #expect(shape.height == fixture.plan.resultShape.height)
    // WebP holds grayscale as three equal samples.
    var expected = try fixture.expectedPixels()
    if example == .avif { expected = try fixture.writtenAsAVIF(expected) }
    let found =
      shape.bands == fixture.plan.resultShape.bands
      ? pixels : stride(from: 0, to: pixels.count, by: shape.bands).map { pixels[$0] }
    #expect(found == expected)
  }

  @Test("W8 every cut gives the same bytes as no cut", arguments: ImageExample.allCases)
  @MainActor
  func cuts(_ example: ImageExample) throws {
    let fixture = try example.fixture()
    #expect(throws: Never.self) {
      try expectSameResult(
        of: fixture.computation(), underAnyCut: Cut.Kind.allCases,
        conditions: .ofImages(streams: fixture.streams))
    }
  }

  @Test(
    "W8 a process that begins again at any chunk's end makes the same file",
    arguments: ImageExample.allCases)
  func resumedAnywhere(_ example: ImageExample) throws {
    let fixture = try example.fixture()
    let whole = MemoryWorkspace()
    try fixture.computation().finishBySmallest(in: whole, threads: 1)
    let workspace = MemoryWorkspace()
    var state = try fixture.computation().start(in: workspace)
    while true {
      // Nothing but the checkpoint and the files comes from one process to the next.
      let computation = fixture.computation()
      let bytes = try computation.encoded(state)
      state = try computation.decoded(bytes, in: workspace)
      #expect(try computation.encoded(state) == bytes)
      guard let next = try computation.next(after: state, in: workspace) else { break }
      state = next
    }
    #expect(workspace.file().bytes == whole.file().bytes)
  }

  @Test(
    "W14 a raised flag ends a chunk, and the state that it began from goes on as if it had not run",
    arguments: ImageExample.allCases)
  func stopped(_ example: ImageExample) throws {
    let fixture = try example.fixture()
    let computation = fixture.computation()
    let workspace = MemoryWorkspace()
    let state = try computation.start(in: workspace)
    let context = ChunkContext(stopFlag: .raised, workspace: workspace, threads: 2)
    #expect(try computation.run(from: state, atMost: 1e12, in: context) == nil)
    try computation.finishBySmallest(in: workspace)
    let whole = MemoryWorkspace()
    try fixture.computation().finishBySmallest(in: whole)
    #expect(workspace.file().bytes == whole.file().bytes)
  }

  @Test(
    "W2 the outlook falls to nothing, and no chunk costs more than the hardest that was told of",
    arguments: ImageExample.allCases)
  func outlook(_ example: ImageExample) throws {
    let computation = try example.fixture().computation()
    let workspace = MemoryWorkspace()
    var state = try computation.start(in: workspace)
    var before = computation.outlook(of: state)
    while let next = try computation.next(after: state, in: workspace) {
      state = next
      let outlook = computation.outlook(of: state)
      #expect(outlook.remainingCost < before.remainingCost)
      #expect(outlook.next?.smallest ?? 0 <= (before.hardest ?? 0) * 1.0001)
      #expect((0...1).contains(outlook.progress.fraction))
      before = outlook
    }
    #expect(before.remainingCost == 0)
  }

  @Test(
    "C2 a checkpoint that is cut or changed is refused or is another state, and never a trap",
    arguments: ImageExample.allCases)
  func hostile(_ example: ImageExample) throws {
    let computation = try example.fixture().computation()
    let workspace = MemoryWorkspace()
    var state = try computation.start(in: workspace)
    var chunks = 0
    while let next = try computation.next(after: state, in: workspace) {
      state = next
      chunks += 1
      guard chunks < 6 || chunks % 11 == 0 else { continue }
      let bytes = try computation.encoded(state)
      for end in bytes.indices where end < 120 || end % 97 == 0 {
        expectDamaged(Array(bytes[..<end]), computation, workspace)
      }
      expectDamaged(bytes + [0], computation, workspace)
      for offset in bytes.indices where offset < 200 || offset % 89 == 0 {
        var changed = bytes
        changed[offset] ^= UInt8(1) << UInt8(offset % 8)
        // The store's checksum tells a changed one; here nothing may be read beyond its end.
        _ = try? computation.decoded(changed, in: workspace)
      }
    }
    #expect(chunks > 0)
  }

  private func expectDamaged(
    _ bytes: [UInt8], _ computation: ImageComputation, _ workspace: MemoryWorkspace
  ) {
    let error = #expect(throws: StintError.self) {
      try computation.decoded(bytes, in: workspace)
    }
    #expect([.damaged, .mismatch].contains(error?.code))
  }

  @Test(
    "C2 partial files that lost what the checkpoint counts are refused",
    arguments: ImageExample.allCases)
  func lostFiles(_ example: ImageExample) throws {
    let fixture = try example.fixture()
    let computation = fixture.computation()
    let workspace = MemoryWorkspace()
    var state = try computation.start(in: workspace)
    var refusals = 0
    while let next = try computation.next(after: state, in: workspace) {
      state = next
      let bytes = try computation.encoded(state)
      for name in Self.counted(by: state, of: fixture.plan) {
        let whole = workspace.file(name).bytes
        try workspace.file(name).truncate(to: 0)
        expectDamaged(bytes, computation, workspace)
        refusals += 1
        try whole.withUnsafeBytes { try workspace.file(name).write($0, at: 0) }
      }
    }
    #expect(refusals > 0)
  }

  /// The files that a state relies on.
  private static func counted(by state: ImageState, of plan: ImagePlan) -> [String] {
    let decoded = plan.decodesFirst ? [ImageGraph.decodedName] : []
    func counted(_ delivered: EncodingProgress) -> [String] {
      delivered.sizeBytes > 0 ? [plan.output.rowsName] : []
    }
    switch state.phase {
    case .decoding(let rows, let delivered):
      return (rows > 0 ? decoded : []) + (delivered.map(counted) ?? [])
    case .collecting: return decoded
    case .filtering(let delivered): return decoded + counted(delivered)
    case .streaming(let delivered): return counted(delivered)
    case .encoding: return [ImageComputation.pixelsName]
    case .complete: return [ImageComputation.resultName]
    }
  }

  @Test("C5 a checkpoint of another library is refused with both names")
  func engine() throws {
    let computation = try ImageExample.blurred.fixture().computation()
    let workspace = MemoryWorkspace()
    var bytes = try computation.encoded(computation.start(in: workspace))
    // The name follows its length.
    bytes[8 + "libvips ".utf8.count] = UInt8(ascii: "7")
    let error = #expect(throws: StintError.self) {
      try computation.decoded(bytes, in: workspace)
    }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains(VipsLibrary.engine) == true)
    #expect(error?.message.contains("libvips 7") == true)
  }

  @Test("a process that goes on counts on writing what is new, not all that was written before it")
  func restoredBytes() throws {
    let fixture = try ImageFixture(
      TestImage.shape(300, 400, bands: 3), saver: "tiffsave", options: ["tile": .flag(true)],
      output: "tiff")
    let (computation, workspace) = (fixture.computation(), MemoryWorkspace())
    var state = try computation.start(in: workspace)
    for _ in 0..<3 { state = try computation.next(after: state, in: workspace) ?? state }
    let bytes = try computation.encoded(state)
    let here = computation.outlook(of: state).checkpointBytes
    let later = fixture.computation()
    let restored = try later.decoded(bytes, in: workspace)
    #expect(later.outlook(of: restored).checkpointBytes == here)
    // What comes on top of it is counted.
    let further = try later.next(after: restored, in: workspace) ?? restored
    #expect(
      later.outlook(of: further).checkpointBytes - here
        == later.partialBytes(further) - later.partialBytes(restored))
  }

  @Test("strips are decoded from wherever a process begins, so nothing grows with what came before")
  func strips() throws {
    let fixture = try ImageFixture(
      TestImage.shape(300, 400, bands: 3), saver: "tiffsave", compression: "0")
    let half = ImageState(phase: .decoding(rows: 352))
    let start = ImageState(phase: .decoding(rows: 0))
    let (first, later) = (fixture.computation(), fixture.computation())
    let least = try #require(first.outlook(of: start).next?.smallest)
    #expect(try #require(later.outlook(of: half).next?.smallest) <= least)
  }

  @Test("what a decoder gave is not decoded again while the process lives, and has to be after it")
  func decoder() throws {
    let fixture = try ImageFixture(TestImage.shape(300, 400, bands: 3), compression: "0")
    let computation = fixture.computation()
    let workspace = MemoryWorkspace()
    let state = try computation.start(in: workspace)
    let context = ChunkContext(stopFlag: StopFlag(), workspace: workspace, threads: 2)
    let next = try #require(computation.outlook(of: state).next)
    let chunk = try #require(try computation.run(from: state, atMost: next.smallest, in: context))
    let here = try #require(computation.outlook(of: chunk.state).next)
    let later = try #require(fixture.computation().outlook(of: chunk.state).next)
    #expect(later.smallest > here.smallest)
    // Halfway, what had to be passed over is most of it.
    let half = ImageState(phase: .decoding(rows: 352))
    let passed = try #require(fixture.computation().outlook(of: half).next)
    #expect(passed.smallest > 3 * next.smallest)
    // Only a process that stays may promise more than one decoding of the whole in its stint.
    let leaving = try #require(computation.outlook(of: chunk.state).hardest)
    let staying = try #require(
      fixture.computation(staysBetweenStints: true).outlook(of: chunk.state).hardest)
    #expect(leaving > staying)
  }
}
#endif
